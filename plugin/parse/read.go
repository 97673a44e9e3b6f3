package parse

// read gives a line to the reader that its words choose: stage 5 of the package. The order is that of the damage that a
// misreading would do: a fact of the table, a failure, a launch message, a step.
func (p *Parser) read(line []byte, found signals, whole bool) {
	if len(line) > 0 && line[0] == '{' {
		p.object(line, found, whole)
		return
	}
	if whole && found.has(facts) && p.fact(line, found) {
		return
	}
	switch {
	case found.has(reporters):
		p.failure(line, found)
	case found.has(launching):
		p.launch(line, found)
	case found.has(raisedWord):
		p.raised(line)
	}
	if whole {
		if p.trainer.now == nil {
			p.trainer.now = p.whenPrinted
		}
		p.trainer.place = -1
		p.trainer.read(&p.log, line, found)
		p.profiled(line, found)
		p.dated(line)
	}
}

// object reads a line that is a JSON object: a result, or the record of a logger, whose texts hold lines of their own.
func (p *Parser) object(line []byte, found signals, whole bool) {
	switch {
	case startsResult(line):
		p.beginResult()
		if p.feedResult(line) {
			return
		}
	case found.has(structuredResult) && p.structured(line), found.has(placementResult) && p.placement(line):
		return
	case found.has(trainerStep) && whole: // a dictionary of Python
		p.trainer.place = -1
		p.trainer.read(&p.log, line, found)
		return
	}
	p.unpack(line, whole)
}
