import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { SecretSealing } from "../../ports/signing/SecretSealing.ts"
import { sealingOf } from "./testing/SealingOf.ts"

const secret = Redacted.make("whsec_a secret, ä and 🗝")
const place = "webhooks/wh_1"

const sealed = (...keys: ReadonlyArray<string>) =>
  Effect.flatMap(SecretSealing, ({ seal }) => seal(secret, place)).pipe(Effect.provide(sealingOf(...keys)))
const opened = (text: string, at: string, ...keys: ReadonlyArray<string>) =>
  Effect.map(
    SecretSealing,
    ({ open }) =>
      Result.match(open(text, at), { onSuccess: (found) => Redacted.value(found), onFailure: ({ reason }) => reason })
  ).pipe(Effect.provide(sealingOf(...keys)))

describe("sealed secrets", () => {
  it.effect("open with their key at their place, reveal nothing, and differ each time", () =>
    Effect.gen(function*() {
      const text = yield* sealed("aa")
      assert.match(text, /^sealed:1:[0-9a-f]{16}:[A-Za-z0-9_-]+$/)
      assert.notInclude(text, "whsec")
      assert.notStrictEqual(text, yield* sealed("aa"))
      assert.strictEqual(yield* opened(text, place, "aa"), Redacted.value(secret))
    }))

  it.effect("open while their key is one of several, and not with another key alone", () =>
    Effect.gen(function*() {
      const text = yield* sealed("aa")
      assert.strictEqual(yield* opened(text, place, "bb", "aa"), Redacted.value(secret))
      assert.strictEqual(yield* opened(text, place, "bb"), "key-unknown")
      assert.strictEqual(yield* opened(text, place), "key-unknown")
      assert.notStrictEqual((yield* sealed("bb", "aa")).split(":")[2], text.split(":")[2], "the first one seals")
    }))

  it.effect("do not open at another place, or with any bit changed", () =>
    Effect.gen(function*() {
      const text = yield* sealed("aa")
      assert.strictEqual(yield* opened(text, "webhooks/wh_2", "aa"), "damaged")
      const [, , id = "", box = ""] = text.split(":")
      const bytes = Buffer.from(box, "base64url")
      for (let at = 0; at < bytes.length; at += 1) {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ 1
        assert.strictEqual(
          yield* opened(`sealed:1:${id}:${changed.toString("base64url")}`, place, "aa"),
          "damaged",
          `byte ${at}`
        )
      }
      for (const short of [0, 1, 12, 27]) {
        assert.strictEqual(
          yield* opened(`sealed:1:${id}:${bytes.subarray(0, short).toString("base64url")}`, place, "aa"),
          "damaged"
        )
      }
      assert.strictEqual(yield* opened(text.replace("sealed:1:", "sealed:2:"), place, "aa"), "damaged")
    }))

  it.effect("are stored in plain text without a key", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* sealed(), Redacted.value(secret))
      assert.strictEqual(yield* opened(Redacted.value(secret), place, "aa"), Redacted.value(secret))
    }))
})
