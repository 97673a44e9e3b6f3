module github.com/seed-95c1acfe/seatrial/test/cluster/modules/pause

go 1.26.0
