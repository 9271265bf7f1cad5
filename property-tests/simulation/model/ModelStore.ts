/**
 * The store of the model floor: tables in memory for a whole run. A process is killed before a call of a port or after
 * its commit, and the store's faults strike there.
 */
import { Context, Effect, Layer } from "effect"
import { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import * as Memory from "../../memory-store/index.ts"
import type { Books } from "../Books.ts"
import { Killed } from "../Gate.ts"
import type { OpenStore, Reach } from "../Store.ts"

const unavailable = (operation: string) => Effect.fail(new StoreUnavailable({ operation }))

const passageOf = ({ dice, faults, gate, moods }: Reach): Memory.Passage => {
  const dead = (place: string) => Effect.die(new Killed(place))
  return {
    begins: () => gate.isFrozen() ? gate.thawed : undefined,
    beforeCall: (operation) => {
      const place = `before ${operation}`
      if (!gate.passes(place)) return dead(place)
      const mood = moods.moodFor(false)
      // Whoever was killed while it waited reaches nothing.
      if (mood === "waits") return Effect.andThen(moods.answered, gate.pass(place))
      if (mood === "fails" || faults.strikes("store-fails", 0.005)) return unavailable(operation)
      return faults.strikes("store-slow", 0.01) ? Effect.delay(gate.pass(place), dice.between(1, 1_000)) : undefined
    },
    // Nobody knows here whether anything was written: a full disk fails calls that only read, too.
    beforeCommit: (operation) =>
      moods.moodFor(true) === "fails" || faults.strikes("commit-fails", 0.005) ? unavailable(operation) : undefined,
    afterCommit: (operation) => {
      if (!gate.passes(`after ${operation}`)) return dead(`after ${operation}`)
      return faults.strikes("commit-unknown", 0.005) ? unavailable(operation) : undefined
    }
  }
}

const booksOf = (store: Memory.MemoryStore["Service"]): Effect.Effect<Books> =>
  Effect.orDie(store.call("books", ({ deposits, losses, payments }): Books => ({
    payments: payments.all().map(({ amount, chainId, currency, leg, orderId, recipient, state, transactionId }) => ({
      order_id: orderId,
      leg,
      chain_id: chainId,
      transaction_id: transactionId,
      state,
      recipient,
      currency,
      amount: String(amount)
    })),
    deposits: deposits.all().map(({ chainId, depositId, deposit: { onchainId }, state, transactionId }) => ({
      onchain_id: onchainId,
      chain_id: chainId,
      transaction_id: transactionId,
      deposit_id: depositId,
      state
    })),
    losses: losses.all().map(({ amount, currency, kind, orderId, recoveredAt }) => ({
      kind,
      order_id: orderId,
      currency,
      amount: String(amount),
      recovered_at: recoveredAt ?? null
    }))
  })))

/** The store of a run, empty. */
export const openModelStore = Effect.map(Layer.build(Memory.MemoryStore.layer), (context): OpenStore => {
  const store = Context.get(context, Memory.MemoryStore)
  return {
    letsProcessesOverlap: true,
    backUp: Effect.map(store.backUp, (putBack) => (at) =>
      putBack.pipe(
        Effect.andThen(Memory.markRestored(at)),
        Effect.provideService(Memory.MemoryStore, store),
        Effect.orDie
      )),
    processOf: (reach) =>
      Layer.merge(Memory.layerPorts, Memory.layerWorkflowEngine).pipe(
        Layer.provide(Layer.succeed(Memory.MemoryStore, Memory.reachedThrough(store, passageOf(reach))))
      ),
    ports: Memory.layerPorts.pipe(Layer.provide(Layer.succeed(Memory.MemoryStore, store))),
    books: booksOf(store),
    isStored: (id) => Effect.orDie(store.call("isStored", ({ variants }) => variants.has(id))),
    storedWith: (text) =>
      Effect.orDie(
        store.call("storedWith", ({ variants }) => variants.all().find(({ raw }) => raw.includes(text))?.raw)
      )
  }
})
