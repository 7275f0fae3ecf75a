package bench

// Price is what a model's tokens cost, in USD per million (rule G9).
// Reasoning is priced as output.
type Price struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cache_read"`
	CacheWrite float64 `json:"cache_write"`
}

const tokensPerPriceUnit = 1e6

// Cost returns the price of t in USD.
func (p Price) Cost(t Tokens) float64 {
	return (float64(t.Input)*p.Input +
		float64(t.Output+t.Reasoning)*p.Output +
		float64(t.CacheRead)*p.CacheRead +
		float64(t.CacheWrite)*p.CacheWrite) / tokensPerPriceUnit
}
