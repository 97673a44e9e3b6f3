package v1alpha1

// BandwidthMeasurement asks for a bandwidth table: a group whose log holds none is not a pass.
type BandwidthMeasurement struct {
	LogProfileRef string `json:"logProfileRef"`
	// SampleInterval is accepted as the format has it; logs are followed while they are written, so nothing is sampled.
	SampleInterval string `json:"sampleInterval,omitempty"`
	// TestType is the collective that is meant, such as all_reduce: a group that measured another is not a pass. What is no collective's
	// name says nothing.
	TestType string `json:"testType,omitempty"`
}

// GoodputMeasurement asks for training steps: a group whose log holds none is not a pass.
type GoodputMeasurement struct {
	LogProfileRef string `json:"logProfileRef"`
	// SampleInterval is accepted as the format has it; logs are followed while they are written, so nothing is sampled.
	SampleInterval string `json:"sampleInterval,omitempty"`
}
