package parse

import "regexp"

// hidden stands for a secret.
const hidden = "***"

// secretName is the part of a name that tells a secret: a count of tokens is none.
const (
	secretName  = `(?:passw(?:or)?d|passphrase|secret|token\b|token_|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)`
	secretValue = `(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"',;&]+)`
)

// secrets are the forms in which logs carry what must not leave the cluster. Each keeps what tells a reader which secret
// it was, in its first group, and what follows it in its second.
var secrets = []*regexp.Regexp{
	// Authorization: Bearer eyJ…   Authorization: Basic dXNlcjpw…   bearer eyJ…
	regexp.MustCompile(`(?i)(\bauthorization\b["']?\s*[=:]\s*["']?(?:bearer|basic|token|digest|negotiate|apikey)\s+)[^\s"',;]+`),
	regexp.MustCompile(`(?i)(\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}`),
	// \"api_key\": \"…\" of a record within a record
	regexp.MustCompile(`(?i)(\\+"[A-Za-z0-9_.-]*` + secretName + `[A-Za-z0-9_.-]*\\+"\s*:\s*\\+")[^"\\]+`),
	// access_token%3D… of a URL within a URL
	regexp.MustCompile(`(?i)([A-Za-z0-9_.-]*` + secretName + `[A-Za-z0-9_.-]*%3D)[^\s"'&%]+`),
	// WANDB_API_KEY … of a variable that somebody shows: a word with a digit is no sentence
	regexp.MustCompile(`(\b[A-Z0-9_]*_(?:PASSWORD|SECRET|TOKEN|API_KEY|ACCESS_KEY|PRIVATE_KEY)\s+)[^\s"',;:0-9]*[0-9][^\s"',;:]*`),
	// GITHUB_PAT=…
	regexp.MustCompile(`(\b[A-Z0-9_]*_PAT["']?\s*[=:]\s*)` + secretValue),
	// NGC_API_KEY=nvapi-…   "password": "…"   x-api-key: …
	regexp.MustCompile(`(?i)(["']?[A-Za-z0-9_.-]*` + secretName + `[A-Za-z0-9_.-]*["']?\s*[=:]\s*)` + secretValue),
	// --token …
	regexp.MustCompile(`(?i)(--?[A-Za-z0-9_.-]*` + secretName + `[A-Za-z0-9_.-]*\s+)` + secretValue),
	// The environment that nccl-tests writes with -J, in one line or one entry a line; any of it may be a secret.
	regexp.MustCompile(`("env"\s*:\s*\[)(?:\s*"(?:[^"\\]|\\.)*"?\s*,?)+`),
	regexp.MustCompile(`(^\s*"[A-Za-z_][A-Za-z0-9_]*=)(?:[^"\\]|\\.)*`),
	// …?X-Amz-Signature=…&sig=… of a signed URL, which registries and object stores answer with
	regexp.MustCompile(`(?i)([?&](?:[A-Za-z0-9_-]*signature|sig)=)[^&\s"']+`),
	// https://user:password@host
	regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*:)[^\s/@]+(@)`),
	// Tokens that show what they are: JSON web tokens, GitHub, Docker, Hugging Face, NGC, GitLab, Slack, AWS key ids.
	regexp.MustCompile(`()\b(?:eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|dckr_pat_[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{16,}|nvapi-[A-Za-z0-9_-]{16,}|glpat-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|sk-[A-Za-z0-9_-]{16,}|A(?:KIA|SIA)[A-Z0-9]{16})`),
}

// Mask hides the secrets of one line of text, be it a log's or a message of the kubelet. What it cannot tell from any other word, it
// leaves: it is a net below whoever prints a secret, and no leave to do so.
func Mask(line string) string {
	for _, secret := range secrets {
		line = secret.ReplaceAllString(line, "${1}"+hidden+"${2}")
	}
	return line
}
