package v1alpha1

// BandwidthMeasurement asks for a bandwidth table: a group whose log holds none is not a pass.
type BandwidthMeasurement struct {
	LogProfileRef string `json:"logProfileRef"`
	// SampleInterval is accepted as the format has it; logs are followed while they are written, so nothing is sampled.
	SampleInterval string `json:"sampleInterval,omitempty"`
	TestType       string `json:"testType,omitempty"`
}

// GoodputMeasurement asks for training steps: a group whose log holds none is not a pass.
type GoodputMeasurement struct {
	LogProfileRef string `json:"logProfileRef"`
	// SampleInterval is accepted as the format has it; logs are followed while they are written, so nothing is sampled.
	SampleInterval string `json:"sampleInterval,omitempty"`
}
