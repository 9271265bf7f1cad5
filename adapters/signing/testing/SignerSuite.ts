/**
 * The contract of every signer, wherever its key is (`ports/signing/Signer.ts`). `secrets`: hex that must never be
 * visible; for a remote key, its credentials. `verify` knows the curve, not the signer.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { Scope } from "effect"
import { inspect } from "node:util"
import type { Secp256k1Signer, Signer } from "../../../ports/signing/Signer.ts"
import { hexFromBytes, hexToBytes } from "../../../src/domain/encoding/Hex.ts"
import type { Hex } from "../../../src/domain/encoding/Hex.ts"
import { recoverDigest } from "../../../src/domain/encoding/Signature.ts"

export interface SignerFixture<S extends Signer> {
  readonly signer: S
  readonly secrets: ReadonlyArray<Hex>
  /** Bytes of the length that the curve signs. */
  readonly messages: ReadonlyArray<Uint8Array>
  readonly verify: (signature: Uint8Array, message: Uint8Array, signer: S) => boolean
  /** Whether equal bytes give equal signatures. True for local keys of both our curves. */
  readonly deterministic: boolean
}

/** Everything that a log, an error or a debugger could print of a value, in lower case and on one line. */
const seenOf = (value: unknown): string =>
  [inspect(value, { depth: 20, showHidden: true, getters: true }), JSON.stringify(value) ?? "", String(value)]
    .join("\n").toLowerCase().replaceAll(/\s+/g, " ")

/** A key as text, and as the bytes that `inspect` prints. */
const spellings = (secret: Hex): ReadonlyArray<string> => {
  const bytes = hexToBytes(secret)
  return [
    secret.slice(2).toLowerCase(),
    [...bytes].join(", "),
    [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" "),
    Buffer.from(bytes).toString("base64").toLowerCase(),
    Buffer.from(bytes).toString("base64url").toLowerCase()
  ]
}

export const assertUnseen = (value: unknown, secrets: ReadonlyArray<Hex>) => {
  const seen = seenOf(value)
  for (const spelling of secrets.flatMap(spellings)) assert.notInclude(seen, spelling)
}

/** `verify` for secp256k1: the signature recovers to the signer's account. */
export const isSecp256k1 = (signature: Uint8Array, digest: Uint8Array, { account }: Secp256k1Signer): boolean => {
  const recovered = recoverDigest(digest, hexFromBytes(signature))
  return Result.isSuccess(recovered) && recovered.success === account
}

/** `messages` for secp256k1. */
export const digests: ReadonlyArray<Uint8Array> = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte))

export const signerSuite = <S extends Signer, E>(fixture: Effect.Effect<SignerFixture<S>, E, Scope.Scope>) => {
  it.live("signs what holds under its stated key, and under no other message", () =>
    Effect.gen(function*() {
      const { messages, signer, verify } = yield* fixture
      for (const [at, message] of messages.entries()) {
        const signature = yield* signer.sign(message)
        assert.lengthOf(signature, signer.curve === "secp256k1" ? 65 : 64)
        assert.isTrue(verify(signature, message, signer))
        const other = messages[(at + 1) % messages.length] ?? message
        assert.isFalse(verify(signature, other, signer))
      }
    }))

  it.live("signs the same bytes again, many at once, each its own", () =>
    Effect.gen(function*() {
      const { deterministic, messages, signer, verify } = yield* fixture
      const all = [...messages, ...messages]
      const signed = yield* Effect.forEach(all, signer.sign, { concurrency: "unbounded" })
      for (const [at, message] of all.entries()) {
        assert.isTrue(verify(signed[at] ?? new Uint8Array(), message, signer))
      }
      if (!deterministic) return
      const [first, again] = [signed.slice(0, messages.length), signed.slice(messages.length)]
      assert.deepStrictEqual(again.map(hexFromBytes), first.map(hexFromBytes))
    }))

  it.live("changes nothing that it is given, and shows its key to no inspection and in no failure", () =>
    Effect.gen(function*() {
      const { messages, secrets, signer } = yield* fixture
      assertUnseen(signer, secrets)
      for (const message of [...messages, new Uint8Array()]) {
        const before = hexFromBytes(message)
        assertUnseen(yield* Effect.exit(signer.sign(message)), secrets)
        assert.strictEqual(hexFromBytes(message), before)
      }
    }))
}
