// S3 serves one bucket of a folder as an S3 store does, for the cluster test of artifacts: a key is a file of that name. It is a module of
// its own, so that nothing else has its dependencies. It takes any login and belongs on no network but the local cluster's.
package main

import (
	"errors"
	"flag"
	"log"
	"net/http"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3afero"
	"github.com/spf13/afero"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:9000", "address")
	bucket := flag.String("bucket", "reports", "name of the bucket")
	folder := flag.String("folder", "", "folder that holds what is stored; it must exist")
	flag.Parse()
	if err := serve(*listen, *bucket, *folder); err != nil {
		log.Fatalf("s3: %v", err)
	}
}

func serve(listen, bucket, folder string) error {
	if folder == "" {
		return errors.New("-folder is not given")
	}
	store, err := s3afero.SingleBucket(bucket, afero.NewBasePathFs(afero.NewOsFs(), folder), nil)
	if err != nil {
		return err
	}
	server := &http.Server{Addr: listen, Handler: gofakes3.New(store).Server(), ReadHeaderTimeout: 10 * time.Second}
	return server.ListenAndServe()
}
