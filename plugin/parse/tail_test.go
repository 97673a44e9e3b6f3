package parse

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func tailOf(text string) string {
	var t Tail
	_, _ = t.Write([]byte(text))
	return t.String()
}

func TestTail(t *testing.T) {
	t.Run("an empty log has an empty tail", func(t *testing.T) {
		require.Empty(t, tailOf(""))
	})
	t.Run("the last 200 lines are kept", func(t *testing.T) {
		var b strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&b, "line %d\n", i)
		}
		got := strings.Split(strings.TrimSuffix(tailOf(b.String()), "\n"), "\n")
		require.Len(t, got, 200)
		require.Equal(t, "line 800", got[0])
		require.Equal(t, "line 999", got[199])
	})
	t.Run("a last line without an end is kept", func(t *testing.T) {
		require.Equal(t, "a\nb\n", tailOf("a\nb"))
		require.Equal(t, "a\n\n", tailOf("a\n\n"))
	})
	t.Run("32 KiB are kept, in whole lines from the end", func(t *testing.T) {
		line := strings.Repeat("x", 1000)
		got := tailOf(strings.Repeat(line+"\n", 100) + "last\n")
		require.LessOrEqual(t, len(got), 32<<10)
		require.Greater(t, len(got), 31<<10)
		require.True(t, strings.HasPrefix(got, line+"\n"))
		require.True(t, strings.HasSuffix(got, "\nlast\n"))
	})
	t.Run("a huge line keeps its beginning", func(t *testing.T) {
		got := tailOf("begin " + strings.Repeat("y", 1<<20) + "\nend\n")
		require.True(t, strings.HasPrefix(got, "begin yyy"))
		require.Contains(t, got, "…\nend\n")
		require.Less(t, len(got), 8<<10)
	})
	t.Run("colours, titles, control characters and overdrawn bars are gone", func(t *testing.T) {
		require.Equal(t, "red plain\n", tailOf("\x1b[31mred\x1b[0m \x1b]0;title\x07plain\x00\x08\r\n"))
		require.Equal(t, "100%\n", tailOf("10%\r50%\r100%\n"))
		require.Equal(t, "ab\n", tailOf("a\u202eb\n"))
	})
}

func TestMask(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"a bearer header":           {"Authorization: Bearer abcdef0123456789", "Authorization: Bearer ***"},
		"a lower-case header":       {"curl -H 'authorization: bearer abc.def.ghi-123'", "curl -H 'authorization: bearer ***'"},
		"an assigned token":         {"export HF_TOKEN=abc123 next", "export HF_TOKEN=*** next"},
		"a quoted password":         {`{"password": "a b \" c", "user": "u"}`, `{"password": ***, "user": "u"}`},
		"a short bearer":            {"Authorization: Bearer SECRET3 x", "Authorization: Bearer *** x"},
		"quoted twice":              {`x \"api_key\": \"abc def\" y`, `x \"api_key\": \"***\" y`},
		"quoted thrice":             {`x \\\"api_key\\\": \\\"abc\\\" y`, `x \\\"api_key\\\": \\\"***\\\" y`},
		"a personal access token":   {"GITHUB_PAT=hunter2 x", "GITHUB_PAT=*** x"},
		"Docker's":                  {"login dckr_pat_abcdefghijklmnopqrst x", "login *** x"},
		"a URL within a URL":        {"?u=a%3Faccess_token%3Dhunter2%26b", "?u=a%3Faccess_token%3D***%26b"},
		"a variable and its value":  {"WANDB_API_KEY hunter2secret x", "WANDB_API_KEY *** x"},
		"a variable in a sentence":  {"WANDB_API_KEY is not set, HF_TOKEN expired 5 days ago", "WANDB_API_KEY is not set, HF_TOKEN expired 5 days ago"},
		"a word about logins":       {"authorization: failed for user 77", "authorization: failed for user 77"},
		"a yaml password":           {"db_password: hunter2", "db_password: ***"},
		"a flag":                    {"run --api-key abc --n 4", "run --api-key *** --n 4"},
		"a flag with equals":        {"run --token=abc --n 4", "run --token=*** --n 4"},
		"a url":                     {"git clone https://u:pw@example.com/x", "git clone https://u:***@example.com/x"},
		"a signed url":              {"GET https://s3.example.com/x?X-Amz-Signature=0a1b2c&X-Amz-Expires=5: 403", "GET https://s3.example.com/x?X-Amz-Signature=***&X-Amz-Expires=5: 403"},
		"a shared access signature": {"https://a.blob.example.com/b?sv=2024&sig=aB%2Fc%3D&se=1 failed", "https://a.blob.example.com/b?sv=2024&sig=***&se=1 failed"},
		"a web token":               {"got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc here", "got *** here"},
		"a key id":                  {"id AKIAABCDEFGHIJKLMNOP.", "id ***."},
		"an environment":            {`{"version":3,"env":["A=1","B=x]y"],"nccl_version":22}`, `{"version":3,"env":[***],"nccl_version":22}`},
		"an environment cut short":  {`{"version":3,"env":["A=1","SECRET=x`, `{"version":3,"env":[***`},
		"an entry of the same":      {`    "WANDB=abc",`, `    "WANDB=***",`},
		"a count of tokens":         {"consumed tokens: 5504 | tokens per second 3", "consumed tokens: 5504 | tokens per second 3"},
		"a refused login":           {"root@w-1: Permission denied (publickey,password).", "root@w-1: Permission denied (publickey,password)."},
		"a row":                     {"8 2 float sum -1 1.0 0.5 0.5 0", "8 2 float sum -1 1.0 0.5 0.5 0"},
		"a secret's name by itself": {"the token has expired", "the token has expired"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, Mask(c.in)) })
	}
	t.Run("a private key is hidden, whatever is left of it", func(t *testing.T) {
		key := "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\nBBBB\n-----END OPENSSH PRIVATE KEY-----\nafter\n"
		require.Equal(t, "-----BEGIN OPENSSH PRIVATE KEY-----\n***\n***\n-----END OPENSSH PRIVATE KEY-----\nafter\n", tailOf(key))
		require.Equal(t, "***\n-----END OPENSSH PRIVATE KEY-----\nafter\n", tailOf(key[strings.Index(key, "BBBB"):]))
		require.Equal(t, "-----BEGIN OPENSSH PRIVATE KEY-----\n***\n***\n", tailOf(key[:strings.Index(key, "BB\n")]))
	})
}

// FuzzTail: a tail of anything is short, printable text, and does not depend on how the text was split.
func FuzzTail(f *testing.F) {
	f.Add("a\nb\x1b[31mc\r\nd", 3)
	f.Add("token=abc\n", 2)
	f.Fuzz(func(t *testing.T, text string, at int) {
		whole := tailOf(text)
		require.LessOrEqual(t, len(whole), tailBytes)
		require.LessOrEqual(t, strings.Count(whole, "\n"), tailLines)
		require.True(t, utf8.ValidString(whole))
		require.Equal(t, strings.ReplaceAll(whole, "\n", ""), strings.Map(visible, strings.ReplaceAll(whole, "\n", "")))
		if at = at % (len(text) + 1); at < 0 {
			at = -at
		}
		var split Tail
		_, _ = split.Write([]byte(text[:at]))
		_, _ = split.Write([]byte(text[at:]))
		require.Equal(t, whole, split.String())
	})
}

func BenchmarkTail(b *testing.B) {
	text := noiseLog(4<<20, 0)
	b.SetBytes(int64(len(text)))
	var tail Tail
	for b.Loop() {
		_, _ = tail.Write(text)
	}
	require.NotEmpty(b, tail.String())
}
