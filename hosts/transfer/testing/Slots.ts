/**
 * Controls the slots of a local Solana chain: a steady beat, or slots up to an awaited transaction, which then stays in
 * the open slot until the test continues. A fork is one step: no client sees the chain in between.
 */
import { Effect } from "effect"
import type { Solana } from "../../localnet/nodes/solana/Solana.ts"
import { readTransaction } from "../../localnet/nodes/solana/node/Submitted.ts"
import { eventually } from "./Misbehaving.ts"

const BEAT_MS = 60

type Mode = "beating" | "until a transaction" | "standing"

/** Start the chain without its own beat. */
export const controlSlots = Effect.fnUntraced(function*({ chain, mine }: Solana) {
  let mode: Mode = "beating"
  const inOpenSlot = () => chain.ledger.open.signatures
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(
    Effect.sync(() => {
      if (mode === "until a transaction" && inOpenSlot().length > 0) mode = "standing"
      if (mode !== "standing") chain.advance()
    }),
    Effect.sleep(BEAT_MS)
  )))
  return {
    beat: Effect.sync(() => {
      mode = "beating"
    }),
    stand: Effect.sync(() => {
      mode = "standing"
    }),
    /**
     * Starts what leads to a transaction, and stops the chain with that transaction in its newest block: confirmed, not
     * final.
     */
    confirmedBy: Effect.fnUntraced(function*<A, E, R>(what: string, run: Effect.Effect<A, E, R>) {
      mode = "until a transaction"
      const running = yield* Effect.forkChild(run)
      const there = Effect.sync(() => mode === "standing" ? inOpenSlot().at(0) : undefined)
      const signature = (yield* eventually(what, there, (one) => one !== undefined)) ?? ""
      yield* mine(1)
      return { signature, running }
    }),
    /**
     * How deep a fork must be to remove the block that a transaction names, so that the transaction can never be
     * executed.
     */
    depthOf: (signature: string): number => {
      const { blockhash } = readTransaction(
        new Uint8Array(Buffer.from(chain.ledger.transaction(signature)?.wire ?? "", "base64"))
      )
      const named = chain.ledger.contents.blocks.find(({ hash }) => hash === blockhash)?.slot ?? 0
      if (named <= chain.slotAt("finalized")) throw new Error("the block that it names is final")
      return chain.ledger.open.slot - named + 1
    },
    /** Undoes the last `depth` slots, including the open one. Transactions in `again` are executed in the next slot. */
    fork: (depth: number, again: ReadonlyArray<string> = []) =>
      Effect.sync(() => {
        const bytes = again.flatMap((signature) => chain.ledger.transaction(signature)?.wire ?? [])
        chain.rollback(depth)
        for (const wire of bytes) chain.submit(readTransaction(new Uint8Array(Buffer.from(wire, "base64"))))
        for (let slot = 0; slot < 2; slot += 1) chain.advance()
      })
  }
})
