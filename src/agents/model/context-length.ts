/** Default context window sizes. The first match wins. */
const KNOWN: readonly [RegExp, number][] = [
  [/claude/, 200_000],
  [/gpt-4\.1/, 1_047_576],
  [/gpt-5/, 400_000],
  [/gpt-4o|gpt-4-turbo/, 128_000],
  [/gpt-4/, 8_192],
  [/gpt-3\.5/, 16_385],
  [/\bo[134](-|$)/, 200_000],
  [/gemini/, 1_048_576],
  [/grok-4/, 256_000],
  [/kimi-k2|qwen3-coder/, 256_000],
  [/glm-4\.[56]|deepseek|llama-?3\.[123]|mistral|qwen3/, 128_000],
];

/** Guess low: too small only means early compression, too large means rejected requests. */
const UNKNOWN = 128_000;

export function contextLengthOf(endpoint: { default: string | null; context_length: number | null }): number {
  if (endpoint.context_length !== null) return endpoint.context_length;
  const name = (endpoint.default ?? "").toLowerCase();
  return KNOWN.find(([pattern]) => pattern.test(name))?.[1] ?? UNKNOWN;
}
