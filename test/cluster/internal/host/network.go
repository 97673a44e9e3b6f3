package host

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// bridgeMAC is a locally administered unicast address (IEEE 802, second bit of the first byte).
const bridgeMAC = "02:00:64:42:00:01"

// Network is one network namespace: addresses on lo for services and nodes, and a bridge for pods. Nothing in it reaches,
// or is reached from, any other network.
type Network struct {
	Name       string
	File       string   // of the namespace
	Addresses  []string // on lo
	Bridge     string
	BridgeCIDR string // the bridge's address and mask
}

// Make makes the namespace.
func (n Network) Make(ctx context.Context) error {
	commands := [][]string{
		{"ip", "netns", "add", n.Name},
		{"ip", "-n", n.Name, "link", "set", "lo", "up"},
	}
	for _, address := range n.Addresses { // on lo, as not every kernel has dummy devices
		commands = append(commands, []string{"ip", "-n", n.Name, "address", "add", address + "/32", "dev", "lo"})
	}
	commands = append(commands,
		// A bridge without an address of its own takes the lowest of its ports', which changes as pods come and go: running pods
		// would then send to a gateway that is no more, and lose the API server for minutes.
		[]string{"ip", "-n", n.Name, "link", "add", n.Bridge, "address", bridgeMAC, "type", "bridge"},
		[]string{"ip", "-n", n.Name, "address", "add", n.BridgeCIDR, "dev", n.Bridge},
		[]string{"ip", "-n", n.Name, "link", "set", n.Bridge, "up"},
		[]string{"ip", "-n", n.Name, "route", "add", "default", "dev", n.Bridge}, // kubelets want a default route
	)
	for _, argv := range commands {
		if err := run(ctx, argv...); err != nil {
			return fmt.Errorf("making network namespace %s: %w", n.Name, err)
		}
	}
	return inside(n.File, func() error { return os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0) })
}

// Remove removes the namespace. One that is not there is no error.
func (n Network) Remove(ctx context.Context) error {
	if _, err := os.Stat(n.File); os.IsNotExist(err) {
		return nil
	}
	if err := run(ctx, "ip", "netns", "delete", n.Name); err != nil {
		return fmt.Errorf("removing network namespace %s: %w", n.Name, err)
	}
	return nil
}

// Dial connects from inside the namespace. The connection stays usable outside, as a socket belongs to where it was made.
// The address must be numeric, so that the connection is made by the thread that entered.
func (n Network) Dial(ctx context.Context, network, address string) (conn net.Conn, err error) {
	err = inside(n.File, func() error {
		conn, err = new(net.Dialer).DialContext(ctx, network, address)
		return err
	})
	return conn, err
}

// inside calls f on a thread that is in the network namespace of the file. The thread ends with the call: it is never
// handed back to the runtime in another namespace than the rest of the process.
func inside(file string, f func() error) error {
	handle, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("entering the network namespace: %w", err)
	}
	defer func() { _ = handle.Close() }()
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		if err := unix.Setns(int(handle.Fd()), unix.CLONE_NEWNET); err != nil {
			done <- fmt.Errorf("entering the network namespace: %w", err)
			return
		}
		done <- f()
	}()
	return <-done
}
