// Package e2e is the smoke test on the local cluster that test/stand.sh puts up: real Argo, Trainer, JobSet, kubelets, sshd
// and mpirun. Its tests are built with the tag `cluster` and run by `make test-cluster`; BUDGET.md in test/cluster lists
// what each costs.
package e2e
