/**
 * The store's calls of one transfer, from its quote to its settled fill: in memory against SQLite in memory, the full
 * floor of the simulation against the model floor.
 */
import { Effect, ManagedRuntime, Redacted } from "effect"
import { Deposits } from "../../ports/store/orders/Deposits.ts"
import { Exposures } from "../../ports/store/orders/Exposures.ts"
import { Payments } from "../../ports/store/orders/Payments.ts"
import { Transfers } from "../../ports/store/orders/Transfers.ts"
import { Address, CurrencyAddress } from "../../src/domain/chain/Address.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import { Hex32 } from "../../src/domain/encoding/Hex.ts"
import { families } from "../../src/domain/families/index.ts"
import { OrderId } from "../../src/domain/order/Order.ts"
import type { Deposit } from "../../src/domain/transfer/deposit/Deposit.ts"
import { RequestId } from "../../src/domain/transfer/RequestId.ts"
import { layerDatabase } from "./engine/Database.ts"
import { storeInMemory, storeOnTables } from "./testing/StoreLayers.ts"
import type { StorePorts } from "./testing/StoreLayers.ts"
import { transferOf } from "./testing/Transfers.ts"

const word = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const someone = Address.make(`0x${"a1".repeat(20)}`)
const native = CurrencyAddress.make(`0x${"0".repeat(40)}`)
const origin = ChainId.make(616101)
const coin = { chainId: ChainId.make(616102), address: native, symbol: "E", name: "E", decimals: 18, isNative: true }
const chain: Chain = {
  id: coin.chainId,
  slug: ChainSlug.make("beta"),
  family: families["ethereum-vm"],
  network: "mainnet",
  name: "Beta",
  depository: someone,
  router: undefined,
  vault: undefined,
  native: coin,
  currencies: [coin],
  finality: { _tag: "Tag", tag: "finalized", seconds: 2 },
  confirmations: [],
  blockTimeMs: 1000,
  explorerUrl: undefined
}
const template = transferOf(1, {})

const depositOf = (n: number): Deposit => ({
  onchainId: Hex32.make(word(5_000_000 + n)),
  chainId: origin,
  transactionId: TransactionId.make(word(6_000_000 + n)),
  index: 0,
  block: { height: BigInt(n), hash: word(n), time: n },
  depositId: Hex32.make(word(0x1000000 + n)),
  depositor: someone,
  sender: someone,
  currency: native,
  amount: 5n
})

/** Thirteen calls. */
const fill = Effect.fnUntraced(function*(n: number) {
  const [transfers, deposits, payments, exposures] = [
    yield* Transfers,
    yield* Deposits,
    yield* Payments,
    yield* Exposures
  ]
  const [id, orderId] = [RequestId.make(word(n)), OrderId.make(word(0x1000000 + n))]
  const deposit = depositOf(n)
  const { block, onchainId } = deposit
  yield* transfers.add({ ...template, id, orderId })
  yield* deposits.record(origin, { height: BigInt(n), hash: word(n) }, [{ deposit, precedence: 0n }], n)
  yield* deposits.open(16)
  yield* transfers.findByOrder(orderId)
  yield* transfers.move(id, { to: "pending", at: n })
  yield* exposures.take({ onchainId, chainId: origin, user: someone, usdMicros: 1n }, { chain: 100n, user: 100n })
  yield* payments.standing(orderId, ["fill", "fallback"], [chain])
  const signed = { transactionId: TransactionId.make(word(7_000_000 + n)), raw: "0x12" }
  const payment = { _tag: "Payout", chain, currency: coin, recipient: someone, amount: 5n, orderId } as const
  const paid = yield* payments.signOnce("fill", onchainId, payment, {
    account: someone,
    chainSequence: 0n,
    costs: [{ holder: someone, currency: native, amount: 1n, balance: 10n }],
    sign: () => Effect.succeed(signed)
  }, n)
  yield* payments.recordSent(paid, { request: id, to: "submitted", at: n })
  yield* payments.recordOutcome(orderId, "fill", {
    state: "included",
    transactionId: signed.transactionId,
    block,
    gasPaid: 1n
  })
  yield* payments.find(orderId, "fill")
  yield* transfers.move(id, { to: "success", at: n })
  yield* deposits.close(onchainId, 1, "filled", n)
})

/** Ten transfers in one store, then a new one: what a seed of the simulation holds. */
const filling = <E>(make: () => ManagedRuntime.ManagedRuntime<StorePorts, E>, transfersOfStore: number) => {
  let store = make()
  let made = 0
  return async () => {
    made += 1
    if (made > transfersOfStore) {
      await store.dispose()
      store = make()
      made = 1
    }
    await store.runPromise(fill(made))
  }
}

const tables = () => ManagedRuntime.make(storeOnTables(layerDatabase(Redacted.make("sqlite::memory:"))))
const memory = () => ManagedRuntime.make(storeInMemory)

export const baseline = "a fill on SQLite in memory"

export const cases = {
  [baseline]: filling(tables, Infinity),
  "a fill in memory": filling(memory, Infinity),
  "a fill in memory, ten of a store": filling(memory, 10)
}
