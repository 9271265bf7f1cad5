import { assert, describe, it } from "@effect/vitest"
import { createSolanaRpc } from "@solana/kit"
import { blockhash } from "@solana/kit"
import type { Signature } from "@solana/kit"
import { Effect } from "effect"
import { Solana } from "../../../hosts/localnet/nodes/solana/Solana.ts"
import type { Fault } from "../../../hosts/localnet/nodes/solana/Solana.ts"
import { hashAt, timeAt } from "./History.ts"
import { isExpired } from "../pay/Landing.ts"
import { NodeIsBehind } from "../rpc/SolanaRpc.ts"

/** A chain with skipped slots: blocks up to `last`, none in the three slots after it, then blocks again. */
const withGap = Effect.gen(function*() {
  const local = yield* Solana.start({ slotTime: 3_600_000 })
  const client = createSolanaRpc(local.url)
  yield* local.mine(5)
  const last = BigInt(local.chain.ledger.open.slot)
  yield* local.skip(3)
  yield* local.mine(8)
  const hashOf = (slot: bigint) => local.chain.ledger.block(Number(slot))?.hash
  return { local, client, last, hashOf, hash: (slot: bigint) => Effect.promise(() => hashAt(client, slot)) }
})

const failed = (reading: Promise<unknown>) =>
  Effect.promise(() => reading.then(() => undefined, (error: unknown) => error))

describe("a slot of a Solana chain", () => {
  it.live("counts as skipped only when the next block says so; otherwise nothing is known of it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { hash, hashOf, last, local } = yield* withGap
      assert.strictEqual(yield* hash(last), hashOf(last))
      for (const slot of [last + 1n, last + 2n, last + 3n]) assert.strictEqual(yield* hash(slot), "skipped")
      assert.strictEqual(yield* hash(last + 4n), hashOf(last + 4n))
      // Does not exist yet.
      assert.isUndefined(yield* hash(last + 1_000n))
      const forgets = (from: bigint, to: bigint): Fault => ({ kind: "forgets", from: Number(from), to: Number(to) })
      // Pruned slots, and slots that a node jumped over, had blocks, even when skipped slots are among them.
      for (
        const [from, to] of [[0n, last + 5n], [last - 2n, last], [last - 2n, last + 5n], [last, last], [
          last + 4n,
          last + 6n
        ]] as const
      ) {
        yield* local.setFault(forgets(from, to))
        for (let slot = from > 0n ? from : 1n; slot <= to; slot += 1n) {
          const seen = yield* hash(slot)
          assert.isTrue(
            seen === undefined || (seen === "skipped" && hashOf(slot) === undefined),
            `${from} to ${to}, ${slot}: ${seen}`
          )
        }
      }
      // Nodes with long-term storage say the same with another message.
      yield* local.setFault({
        kind: "error",
        code: -32_009,
        message: "Slot was skipped, or missing in long-term storage",
        methods: ["getBlock"]
      })
      assert.instanceOf(yield* failed(hashAt(createSolanaRpc(local.url), last)), Error)
      for (const code of [-32_001, -32_004, -32_014]) {
        yield* local.setFault({ kind: "error", code, message: "not here", methods: ["getBlock"] })
        assert.isUndefined(yield* hash(last + 1n), `${code}`)
      }
      yield* local.setFault({ kind: "lie", methods: ["getBlock"], tell: () => null })
      assert.isUndefined(yield* hash(last))
      // Nothing follows it yet.
      yield* local.setFault(undefined)
      yield* local.skip(3)
      const newest = BigInt(local.chain.ledger.last.slot)
      assert.isUndefined(yield* hash(newest + 1n))
    })))

  it.live("has the time of the last block at or below it, or none when a node has lost that", () =>
    Effect.scoped(Effect.gen(function*() {
      const { client, last, local } = yield* withGap
      const time = (slot: bigint) => Effect.promise(() => timeAt(client, slot))
      const timeOf = (slot: bigint) => local.chain.ledger.block(Number(slot))?.time
      yield* local.setTime(Math.floor(Date.now() / 1_000) + 1_000)
      yield* local.mine(4)
      for (const slot of [last, last + 1n, last + 3n]) assert.strictEqual(yield* time(slot), timeOf(last))
      const newest = BigInt(local.chain.slotAt("confirmed"))
      assert.strictEqual(yield* time(newest), timeOf(newest))
      assert.isAbove(yield* time(newest), yield* time(last))
      assert.strictEqual(yield* time(0n), 0)
      yield* local.setFault({ kind: "forgets", from: Number(newest - 1n), to: Number(newest) })
      assert.instanceOf(yield* failed(timeAt(client, newest)), NodeIsBehind)
      yield* local.setFault({ kind: "forgets", from: Number(last), to: Number(last) })
      assert.instanceOf(yield* failed(timeAt(client, last)), NodeIsBehind)
    })))
})

describe("the expiry of a payment", () => {
  it.live("is accepted from a node that has all slots in which the payment could be, and is not behind the chain", () =>
    Effect.scoped(Effect.gen(function*() {
      const { client, local } = yield* withGap
      const { chain } = local
      const slot = BigInt(chain.ledger.open.slot)
      const height = BigInt(chain.heightAt("finalized"))
      // A blockhash that no block of the chain has any more.
      const signed = {
        blockhash: blockhash("1".repeat(32)),
        signature: "1".repeat(64) as Signature,
        slot,
        lastValidBlockHeight: height + 3n
      }
      const expired = () => isExpired(client, chain, [signed])
      assert.isFalse(yield* Effect.promise(expired))
      yield* local.mine(3)
      // At its last block it may still be executed.
      assert.strictEqual(BigInt(chain.heightAt("finalized")), signed.lastValidBlockHeight)
      assert.isFalse(yield* Effect.promise(expired))
      yield* local.mine(1)
      assert.isTrue(yield* Effect.promise(expired))
      // Whoever said that it may be executed for three blocks only, its blockhash is still valid.
      const { value: recent } = yield* Effect.promise(() => client.getLatestBlockhash().send())
      const stillValid = { ...signed, blockhash: recent.blockhash }
      assert.isFalse(yield* Effect.promise(() => isExpired(client, chain, [stillValid])))
      const refusing: ReadonlyArray<Fault> = [
        { kind: "forgets", from: 0, to: Number(slot) },
        { kind: "lie", methods: ["getGenesisHash"], tell: () => "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM" },
        {
          kind: "lie",
          methods: ["getSignatureStatuses"],
          tell: () => ({ context: { slot: Number(slot) - 5 }, value: [null] })
        },
        { kind: "lie", methods: ["getSignatureStatuses"], tell: () => ({ context: { slot: 10 ** 9 }, value: [] }) },
        {
          kind: "error",
          code: -32_011,
          message: "Transaction history is not available from this node",
          methods: ["getSignatureStatuses"]
        }
      ]
      for (const fault of refusing) {
        yield* local.setFault(fault)
        assert.instanceOf(yield* failed(expired()), Error, JSON.stringify(fault))
      }
      // Its history may begin where the payment's lifetime did.
      yield* local.setFault({ kind: "forgets", from: 0, to: Number(slot) - 1 })
      assert.isTrue(yield* Effect.promise(expired))
      yield* local.setFault({
        kind: "lie",
        methods: ["getSignatureStatuses"],
        tell: () => ({
          context: { slot: 10 ** 9 },
          value: [{ slot: 5, confirmations: 1, err: null, confirmationStatus: "processed", status: { Ok: null } }]
        })
      })
      assert.isFalse(yield* Effect.promise(expired))
    })))
})
