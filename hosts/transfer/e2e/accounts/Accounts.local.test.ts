/**
 * A solver that pays from several accounts: fills leave from whichever has the fewest in flight, one that is stuck
 * holds up only its own, and the hub settles each by its order.
 */
import { families } from "../../../../src/domain/families/index.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { isHex, keccak256, parseEther, recoverTransactionAddress, toHex } from "viem"
import type { Hex, TransactionSerializedEIP1559 } from "viem"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { alias } from "../../../../src/domain/hub/Alias.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ended, sendDeposit } from "../../testing/Client.ts"
import { pooled } from "../../testing/FeePressure.ts"
import { quoteNative, startFixture } from "../../testing/Fixture.ts"
import {
  fundFurther,
  furtherAccounts,
  furtherSettings,
  payingAccounts,
  sentByAny
} from "../../testing/FurtherAccounts.ts"
import { get } from "../../testing/Get.ts"
import { lyingNode } from "../../testing/LyingNode.ts"
import { assertDelivered, eventually, holdMining, orderIdOf, resumeMining } from "../../testing/Misbehaving.ts"
import { runOperation } from "../../testing/RunOperation.ts"
import { settlingOver } from "../../testing/SettlingNetwork.ts"
import { settled } from "../../testing/Settlements.ts"
import { ETH } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const AMOUNT = parseEther("0.05")

const startAccounts = Effect.gen(function*() {
  const network = yield* startNetwork
  yield* fundFurther(network.chains)
  const betaNode = yield* lyingNode(network.chains.beta.url)
  return { ...(yield* settlingOver(network, 1, 1)), betaNode }
})

class Running extends fixtureOf<Running>()(
  "test/AccountsRunning",
  startFixture(startAccounts, {
    settings: ({ betaNode, settling }) => ({ ...settling, ...furtherSettings, BETA_RPC_URL: betaNode.url })
  })
) {}

/** A transfer to an account of its own, quoted. */
const quoted = Effect.fnUntraced(function*(index: number) {
  const running = yield* Running
  const recipient = running.fresh()
  return { index, recipient, quote: yield* quoteNative(running, index, AMOUNT, { recipient }) }
})

const deposit = Effect.fnUntraced(function*({ index, quote }: Effect.Success<ReturnType<typeof quoted>>) {
  const { chains: { alpha }, key } = yield* Running
  return yield* sendDeposit(alpha, key(index), quote)
})

/** Paid to the unit, by one transaction of one of the accounts: which one. */
const payerOf = Effect.fnUntraced(function*({ quote, recipient }: Effect.Success<ReturnType<typeof quoted>>) {
  const { chains, url } = yield* Running
  assert.strictEqual((yield* ended(url, quote)).status, "success")
  yield* assertDelivered(chains, quote, recipient)
  const paid = (yield* sentByAny(chains.beta, chains)).filter(({ input }) => input === orderIdOf(quote))
  assert.lengthOf(paid, 1)
  return paid[0]?.from.toLowerCase() ?? ""
})

const lower = (accounts: ReadonlyArray<Hex>) => accounts.map((account) => account.toLowerCase())

const isSigned = (value: unknown): value is TransactionSerializedEIP1559 => isHex(value) && value.startsWith("0x02")

/** How many transactions of each account wait in the node's pool. */
const inPool = Effect.gen(function*() {
  const { chains } = yield* Running
  return yield* Effect.forEach(
    payingAccounts(chains),
    (account) => Effect.map(pooled(chains.beta, account), (waiting) => waiting.length)
  )
})

layer(Running.layer, { excludeTestServices: true })("a solver with three accounts", (it) => {
  it.effect("fills at once from all of them, each in the order of its own nonces, and every fill settles to the unit", () =>
    Effect.gen(function*() {
      const { chains, environment, held, settling, url } = yield* Running
      const all = yield* Effect.forEach([0, 1, 2, 3, 4, 5], quoted)
      yield* holdMining(chains.beta)
      yield* Effect.forEach(all, deposit, { concurrency: "unbounded" })
      yield* eventually("each has two in its pool", inPool, (counts) => counts.join() === "2,2,2")
      yield* resumeMining(chains.beta)
      const payers = yield* Effect.forEach(all, payerOf)
      assert.deepStrictEqual(
        [...new Set(payers)].toSorted(),
        lower(payingAccounts(chains)).toSorted(),
        "every account has paid"
      )
      for (const each of all) yield* settled(url, orderIdOf(each.quote))
      // The hub asks for the order, not for the sender: all deposits are the solver's.
      const beta = { slug: ChainSlug.make("beta"), family: families["ethereum-vm"], network: "mainnet" } as const
      const account = Result.getOrThrow(alias(beta, chains.solver.toLowerCase()))
      const token = Result.getOrThrow(hubTokenId({ ...beta, slug: ChainSlug.make("alpha") }, ETH.address))
      assert.strictEqual(yield* held(toHex(BigInt(account), { size: 20 }), token), 6n * AMOUNT)
      const doctor = yield* runOperation("doctor", { ...environment, ...settling, ...furtherSettings })
      assert.strictEqual(doctor.code, 0, `${doctor.out}${doctor.error}`)
    }))

  it.effect("lists them, and lets no call of a request reach one", () =>
    Effect.gen(function*() {
      const { chains, user, url } = yield* Running
      const { text } = yield* get(`${url}/chains`)
      for (const account of lower(payingAccounts(chains))) assert.include(text, account)
      for (const to of furtherAccounts) {
        const refused = yield* Effect.promise(() =>
          fetch(`${url}/quote`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({
              user: user(0),
              originChainId: chains.alpha.chainId,
              destinationChainId: chains.beta.chainId,
              originCurrency: ETH.address,
              destinationCurrency: ETH.address,
              amount: `${AMOUNT}`,
              tradeType: "EXACT_INPUT",
              txs: [{ to, value: "1", data: "0x" }]
            })
          }).then((response) => response.text())
        )
        assert.include(refused, "INVALID_EXTRA_TXS")
      }
    }))

  it.effect("whose node drops all that one of them sends pays with the others meanwhile, and that one's once it is heard", () =>
    Effect.gen(function*() {
      const { betaNode, chains } = yield* Running
      const [mute = assert.fail()] = furtherAccounts
      const dropped = new Set<Hex>()
      betaNode.lie(async ({ method, params }, truth) => {
        const [raw] = params ?? []
        if (method !== "eth_sendRawTransaction" || !isSigned(raw)) return truth()
        if (await recoverTransactionAddress({ serializedTransaction: raw }) !== mute) return truth()
        dropped.add(raw)
        return { result: keccak256(raw) }
      })
      yield* holdMining(chains.beta)
      const first = yield* Effect.forEach([0, 1, 2], quoted)
      yield* Effect.forEach(first, deposit, { concurrency: "unbounded" })
      yield* eventually("one is dropped, two wait", inPool, (counts) => counts.join() === "1,0,1" && dropped.size > 0)
      yield* resumeMining(chains.beta)
      // It counts as stuck once it would be replaced. What replaces it is dropped, too.
      yield* eventually("it was replaced", Effect.sync(() => dropped.size), (count) => count > 1)
      yield* holdMining(chains.beta)
      const later = yield* Effect.forEach([3, 4, 5, 6, 7, 8], quoted)
      yield* Effect.forEach(later, deposit, { concurrency: "unbounded" })
      yield* eventually("the others have three each", inPool, (counts) => counts.join() === "3,0,3")
      yield* resumeMining(chains.beta)
      for (const each of later) assert.notStrictEqual(yield* payerOf(each), mute.toLowerCase())
      betaNode.tellTheTruth()
      assert.include(yield* Effect.forEach(first, payerOf), mute.toLowerCase())
    }).pipe(Effect.ensuring(Effect.flatMap(Running, ({ chains: { beta } }) => Effect.orDie(resumeMining(beta))))))
})
