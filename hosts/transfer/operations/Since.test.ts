import { assert, it } from "@effect/vitest"
import { parseSince } from "./Since.ts"

const now = Date.UTC(2026, 10, 21, 12)

it("accepts a time or a duration, and nothing else", () => {
  assert.strictEqual(parseSince("90m", now), now - 90 * 60_000)
  assert.strictEqual(parseSince("24h", now), now - 24 * 3_600_000)
  assert.strictEqual(parseSince("7d", now), now - 7 * 86_400_000)
  assert.strictEqual(parseSince("999999d", now), 0)
  assert.strictEqual(parseSince("2026-11-20", now), Date.UTC(2026, 10, 20))
  assert.strictEqual(parseSince("2026-11-20T06:30:00Z", now), Date.UTC(2026, 10, 20, 6, 30))
  assert.strictEqual(parseSince("2026-11-20T06:30+02:00", now), Date.UTC(2026, 10, 20, 4, 30))
  for (
    const text of [
      "",
      "24",
      "h",
      "0h",
      "-1h",
      "1.5h",
      "1w",
      "24 hours",
      "yesterday",
      "2026-11-22",
      "2026-13-01",
      "2026-11-20T06:30:00",
      "1969-12-31",
      "Infinity"
    ]
  ) {
    assert.isUndefined(parseSince(text, now), text)
  }
})
