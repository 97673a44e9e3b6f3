package cluster

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

const (
	// labelRecord marks the ConfigMaps of a run record.
	labelRecord = "seatrial.dev/record"
	// groupsPerShard and maxValue keep a shard below 100 KiB: 8 groups of at most 12 KiB. Every write of a group lets the API server
	// store its shard anew, one writer after the other. With 64 groups to a shard that took a third of a second each when 500 ended together.
	groupsPerShard = 8
	maxValue       = 12 << 10
	// maxCommon bounds a key of the first ConfigMap, which holds the plan, the report and little else.
	maxCommon = 400 << 10
	// maxUnpacked bounds what any value may unpack to, in bytes.
	maxUnpacked = 64 << 20
)

// Record is the state of one run, in ConfigMaps that the Workflow owns: one for the plan and the report, one for the
// turns, and one for every 8 groups. Each value is compressed JSON under a key of its own. A changed key is written alone and only over the
// version that was read, so that two writers cannot undo each other's work.
type Record struct {
	c     *Cluster
	owner Owner
	scope string
	run   string
}

// Record returns the record of a scope of a workflow. It reads nothing yet.
func (c *Cluster) Record(owner Owner, scope, run string) *Record {
	return &Record{c: c, owner: owner, scope: scope, run: run}
}

// Records finds all run records of a workflow, one a scope.
func (c *Cluster) Records(ctx context.Context, owner Owner) ([]*Record, error) {
	list, err := c.kube.CoreV1().ConfigMaps(owner.Namespace).List(ctx, metav1.ListOptions{LabelSelector: labelRecord + "=0," + resolve.LabelWorkflow + "=" + owner.Name})
	if err != nil {
		return nil, fmt.Errorf("listing run records of %s: %w", owner.Name, err)
	}
	var records []*Record
	for i := range list.Items {
		m := &list.Items[i]
		for _, r := range m.OwnerReferences {
			if owner.UID == "" || string(r.UID) == owner.UID {
				o := Owner{Namespace: owner.Namespace, Name: owner.Name, UID: string(r.UID)}
				records = append(records, c.Record(o, m.Labels[resolve.LabelScope], m.Labels[resolve.LabelRun]))
				break
			}
		}
	}
	return records, nil
}

// Scope returns the scope that the record is of.
func (r *Record) Scope() string { return r.scope }

// Owner returns the Workflow that the record belongs to.
func (r *Record) Owner() Owner { return r.owner }

// Read decodes the value of key into what into points to. It returns false when there is none.
func (r *Record) Read(ctx context.Context, key string, into any) (bool, error) {
	m, err := r.c.kube.CoreV1().ConfigMaps(r.owner.Namespace).Get(ctx, r.shard(key), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the run record: %w", err)
	}
	if !r.owner.Owns(m) {
		return false, nil
	}
	return decode(m.BinaryData, key, into)
}

// ReadEach lists all that is recorded. add is called once a key, with what decodes its value; group says that the key is a group's.
func (r *Record) ReadEach(ctx context.Context, add func(key string, group bool, decode func(into any) error) error) error {
	selector := labelRecord + "," + resolve.OfRun(r.owner.Name, r.scope)
	list, err := r.c.kube.CoreV1().ConfigMaps(r.owner.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return fmt.Errorf("listing the run record: %w", err)
	}
	for i := range list.Items {
		m := &list.Items[i]
		if !r.owner.Owns(m) {
			continue
		}
		for key := range m.BinaryData {
			err := add(key, isGroup(key), func(into any) error {
				_, err := decode(m.BinaryData, key, into)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Update lets change turn the present value of key, decoded into value, into the next one, and writes it. change may be
// called again when somebody else wrote in between; value is then decoded anew. It returns what change returns without
// writing when that is an error; ErrUnchanged writes nothing and is no error. change must not write to the record itself.
func Update[T any](ctx context.Context, r *Record, key string, change func(value *T) error) (*T, error) {
	maps := r.c.kube.CoreV1().ConfigMaps(r.owner.Namespace)
	// Groups share a ConfigMap and start at once: their writers take turns here, and only another process's are conflicts.
	shard := r.c.shardWriter(r.owner.Namespace + "/" + r.shard(key))
	shard.Lock()
	defer shard.Unlock()
	const tries = 30
	for range tries {
		value := new(T)
		m, err := shard.last, error(nil)
		remembered := m != nil && r.owner.Owns(m)
		shard.last = nil
		if !remembered {
			m, err = maps.Get(ctx, r.shard(key), metav1.GetOptions{})
		}
		absent := apierrors.IsNotFound(err)
		if err != nil && !absent {
			return nil, fmt.Errorf("reading the run record: %w", err)
		}
		if !absent {
			if !r.owner.Owns(m) {
				return nil, fmt.Errorf("ConfigMap %s exists and is not this run's record; delete it or give the run another name", m.Name)
			}
			if _, err := decode(m.BinaryData, key, value); err != nil {
				return nil, err
			}
		}
		if err := change(value); err != nil {
			if remembered { // only a write proves that what is remembered still holds
				continue
			}
			if errors.Is(err, ErrUnchanged) {
				return value, nil
			}
			return nil, err
		}
		packed, err := pack(value)
		if err != nil {
			return nil, err
		}
		if most := r.most(key); len(packed) > most {
			return nil, fmt.Errorf("the run record's %s has %d bytes; at most %d fit", key, len(packed), most)
		}
		if absent {
			m, err = maps.Create(ctx, r.configMap(key, packed), metav1.CreateOptions{})
		} else {
			patch := fmt.Sprintf(`{"metadata":{"resourceVersion":%q},"binaryData":{%q:%q}}`, m.ResourceVersion, key, base64.StdEncoding.EncodeToString(packed))
			m, err = maps.Patch(ctx, m.Name, mergePatch, []byte(patch), metav1.PatchOptions{})
		}
		if err == nil {
			shard.last = m
			return value, nil
		}
		if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) && !apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("writing the run record: %w", err)
		}
	}
	return nil, fmt.Errorf("writing the run record's %s: others wrote %d times in between", key, tries)
}

// shardWriter lets one writer of this process at a time change a ConfigMap.
type shardWriter struct {
	sync.Mutex
	// last is the ConfigMap as this process wrote it last; nil when it has not, or has reason to look anew. It saves reading what is most often
	// unchanged: a write goes only over the version that was read, whenever that was.
	last *corev1.ConfigMap
}

func (c *Cluster) shardWriter(configMap string) *shardWriter {
	stored, _ := c.shards.LoadOrStore(configMap, &shardWriter{})
	w, _ := stored.(*shardWriter) // nothing else is ever stored
	return w
}

// ErrUnchanged is what a change returns to say that there is nothing to write.
var ErrUnchanged = errors.New("unchanged")

func (r *Record) most(key string) int {
	if isGroup(key) {
		return maxValue
	}
	return maxCommon
}

// shard is the name of the ConfigMap that holds key.
func (r *Record) shard(key string) string {
	name := r.owner.Name
	if r.scope != "" {
		name += "-" + r.scope
	}
	name += "-seatrial"
	if shard := shardOf(key); shard != "" {
		name += "-" + shard
	}
	return name
}

// KeyTurns has a ConfigMap of its own: it is read and written far more often than the plan, which may be large.
const KeyTurns = "turns"

// groupForm is the key of a group: group-70, its second repetition group-70-i2, or the group isolate-3-70 of a round of isolation.
var groupForm = regexp.MustCompile(`^(?:group|isolate-([0-9]{1,9}))-([0-9]{1,9})(?:-(i[0-9]{1,9}))?$`)

// shardOf names the shard of a key: "" for the one of the plan, that of the turns, and one for every 8 groups of a repetition or a round.
func shardOf(key string) string {
	if key == KeyTurns {
		return key
	}
	parts := groupForm.FindStringSubmatch(key)
	if parts == nil {
		return ""
	}
	n, err := strconv.Atoi(parts[2])
	if err != nil {
		return ""
	}
	shard := strconv.Itoa(1 + n/groupsPerShard)
	switch round, repetition := parts[1], parts[3]; {
	case round != "":
		return "r" + round + "-" + shard
	case repetition != "":
		return repetition + "-" + shard
	}
	return shard
}

// isGroup says whether a key is a group's.
func isGroup(key string) bool {
	return strings.HasPrefix(key, "group-") || strings.HasPrefix(key, "isolate-")
}

func (r *Record) configMap(key string, value []byte) *corev1.ConfigMap {
	names := resolve.Names{Workflow: r.owner.Name, Scope: r.scope, Run: r.run}
	labels := names.Labels()
	delete(labels, resolve.LabelGroup)
	labels[labelRecord] = cmp.Or(shardOf(key), "0")
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: r.shard(key), Namespace: r.owner.Namespace, Labels: labels, OwnerReferences: []metav1.OwnerReference{r.owner.reference()}},
		BinaryData: map[string][]byte{key: value},
	}
}

func pack(value any) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := json.NewEncoder(z).Encode(value); err != nil {
		return nil, fmt.Errorf("encoding the run record: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("compressing the run record: %w", err)
	}
	return b.Bytes(), nil
}

func decode(data map[string][]byte, key string, into any) (bool, error) {
	packed, has := data[key]
	if !has {
		return false, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return false, fmt.Errorf("unpacking the run record's %s: %w", key, err)
	}
	// To the end, where the checksum is. Values are packed to at most 400 KiB; the limit is against a record that somebody else wrote.
	text, err := io.ReadAll(io.LimitReader(z, maxUnpacked))
	if err != nil {
		return false, fmt.Errorf("unpacking the run record's %s: %w", key, err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return false, fmt.Errorf("decoding the run record's %s: %w", key, err)
	}
	return true, nil
}

// Fits says whether a value is small enough for its key.
func Fits(key string, value any) bool {
	packed, err := pack(value)
	return err == nil && len(packed) <= (&Record{}).most(key)
}
