package parse

// PeakBusGBps is the best bus bandwidth of the rows read so far, in GB/s; ok is false while there is none.
// It may be called between writes, to show how a running benchmark does.
func (p *Parser) PeakBusGBps() (peak float64, ok bool) {
	for i := range p.log.Tests {
		if best := p.log.Tests[i].Table.Peak; best != nil && (!ok || best.GBps > peak) {
			peak, ok = best.GBps, true
		}
	}
	return peak, ok
}
