/**
 * The worker settles transfers whose deposit or fill is on Solana, including refunds there: real chains, a real hub, a
 * real oracle.
 */
import { families } from "../../../../src/domain/families/index.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { createNoopSigner } from "@solana/kit"
import type { Instruction } from "@solana/kit"
import { parseEther, parseUnits, toHex } from "viem"
import type { Hex } from "viem"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { alias } from "../../../../src/domain/hub/Alias.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { localTransaction } from "../../../localnet/nodes/solana/node/Faucet.ts"
import type { LocalKey } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { keyOfName } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { depositNative } from "../../../localnet/nodes/solana/DepositoryProgram.ts"
import { usdc } from "../../../localnet/nodes/solana/Mints.ts"
import { solanaChainId as SOLANA_CHAIN, solanaSlug } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { execute, quote } from "../../testing/Client.ts"
import { orderIdOf } from "../../testing/Misbehaving.ts"
import { settlingOver } from "../../testing/SettlingNetwork.ts"
import { stepOf, endedAnywhere, quoteSolana, sendSolana } from "../../testing/SolanaClient.ts"
import type { SolanaQuote } from "../../testing/SolanaClient.ts"
import { SOL, startSolanaNetwork } from "../../testing/SolanaNetwork.ts"
import { settled } from "../../testing/Settlements.ts"

class Running extends fixtureOf<Running>()(
  "test/SolanaSettlingRunning",
  startFixture(Effect.flatMap(startSolanaNetwork(), (network) => settlingOver(network, 1, 1)), {
    settings: ({ settling }) => settling
  })
) {}

const NATIVE = "0x0000000000000000000000000000000000000000"
const evmUsdc = addressOf("TestUSDC")
const LAMPORTS = 1_000_000_000n

const evm = (slug: string) =>
  ({ slug: ChainSlug.make(slug), family: families["ethereum-vm"], network: "mainnet" }) as const
const solanaRef = { slug: ChainSlug.make(solanaSlug), family: families["solana-vm"], network: "mainnet" } as const

/** The solver's balance of a currency on the hub. */
const onHub = Effect.fnUntraced(function*(chain: Parameters<typeof hubTokenId>[0], currency: string) {
  const { chains, held } = yield* Running
  const account = Result.getOrThrow(alias(evm("beta"), chains.solver.toLowerCase()))
  return yield* held(toHex(BigInt(account), { size: 20 }), Result.getOrThrow(hubTokenId(chain, currency)))
})

const books = Effect.all({
  sol: onHub(solanaRef, SOL),
  solanaUsdc: onHub(solanaRef, usdc.address),
  alphaEther: onHub(evm("alpha"), NATIVE),
  alphaUsdc: onHub(evm("alpha"), evmUsdc.toLowerCase())
})

/** The order of a deposit on Solana: the last 32 bytes of the depository's instruction. */
const orderOn = (quoted: SolanaQuote): Hex => `0x${stepOf(quoted).instructions.at(-1)?.data.slice(-64) ?? ""}`

const userOf = (index: number) => Effect.map(Running, ({ partyOf }) => partyOf(index))

/** A quote from Solana to beta. */
const fromSolana = Effect.fnUntraced(
  function*(index: number, currency: string, to: string, amount: bigint, changes: object = {}) {
    const { chains, url } = yield* Running
    const { evmUser, solanaUser } = yield* userOf(index)
    return yield* quoteSolana(url, {
      user: solanaUser.address,
      recipient: evmUser,
      originChainId: SOLANA_CHAIN,
      destinationChainId: chains.beta.chainId,
      originCurrency: currency,
      destinationCurrency: to,
      amount: `${amount}`,
      tradeType: "EXACT_INPUT",
      ...changes
    })
  }
)

/** Executes the quote from Solana to its end. */
const sentFromSolana = Effect.fnUntraced(
  function*(index: number, currency: string, to: string, amount: bigint, changes: object = {}) {
    const { solana, url } = yield* Running
    const { solanaUser } = yield* userOf(index)
    const quoted = yield* fromSolana(index, currency, to, amount, changes)
    yield* sendSolana(solana.url, [solanaUser], stepOf(quoted))
    return { order: orderOn(quoted), end: yield* endedAnywhere(url, quoted) }
  }
)

const sentToSolana = Effect.fnUntraced(
  function*(index: number, currency: string, to: string, amount: bigint, recipient: string, changes: object = {}) {
    const { chains, url } = yield* Running
    const { evmUser, key } = yield* userOf(index)
    const quoted = yield* quote(url, {
      user: evmUser,
      recipient,
      originChainId: chains.alpha.chainId,
      destinationChainId: SOLANA_CHAIN,
      originCurrency: currency,
      destinationCurrency: to,
      amount: `${amount}`,
      tradeType: "EXACT_INPUT",
      ...changes
    })
    yield* execute(chains.alpha, key, quoted)
    return { order: orderIdOf(quoted), end: yield* endedAnywhere(url, quoted) }
  }
)

/** Sends a transaction on Solana. A failure is the test's mistake. */
const submitOn = Effect.fnUntraced(function*(key: LocalKey, ...instructions: ReadonlyArray<Instruction>) {
  const { solana: { chain } } = yield* Running
  const outcome = chain.submit(localTransaction(chain, [key], instructions))
  if (outcome._tag === "Dropped" || outcome.record.meta.err !== null) {
    return yield* Effect.die(new Error(`the transaction failed: ${outcome._tag}`))
  }
})

const depositOf = (key: LocalKey, order: Hex, amount: bigint) =>
  depositNative({
    sender: createNoopSigner(key.address),
    amount,
    id: new Uint8Array(Buffer.from(order.slice(2), "hex"))
  })

layer(Running.layer, { excludeTestServices: true })("what the worker settles of transfers with Solana", (it) => {
  it.effect("credits fills and refunds on either side, native and tokens, to the solver on the hub, to the unit", () =>
    Effect.gen(function*() {
      const { executions, url } = yield* Running
      const { solanaUser } = yield* userOf(9)
      const hundred = parseUnits("100", 6)
      const made = yield* Effect.all([
        sentFromSolana(0, SOL, NATIVE, 2n * LAMPORTS),
        sentToSolana(0, NATIVE, SOL, parseEther("0.1"), solanaUser.address),
        sentFromSolana(1, usdc.address, evmUsdc, hundred),
        // The fill opens the recipient's account.
        sentToSolana(1, evmUsdc, usdc.address, hundred, keyOfName("causeway.test.unopened").address),
        sentFromSolana(2, SOL, NATIVE, LAMPORTS, { referrer: "force-refund", refundOnOrigin: true }),
        // The refund has to open an account.
        sentFromSolana(3, usdc.address, evmUsdc, hundred, {
          referrer: "force-refund",
          refundTo: keyOfName("causeway.test.refunded").address
        }),
        sentToSolana(2, NATIVE, SOL, parseEther("0.2"), solanaUser.address, { referrer: "force-refund" })
      ], { concurrency: "unbounded" })
      assert.deepStrictEqual(made.map(({ end }) => end.status), [
        "success",
        "success",
        "success",
        "success",
        "refund",
        "refund",
        "refund"
      ])
      const found = yield* Effect.forEach(made, ({ order }) => settled(url, order, 1), { concurrency: "unbounded" })
      assert.deepStrictEqual(found.map(([each]) => each?.inTxHash), made.map(({ end }) => end.inTxHashes[0]))
      assert.deepStrictEqual(yield* books, {
        sol: 3n * LAMPORTS,
        solanaUsdc: 2n * hundred,
        alphaEther: parseEther("0.3"),
        alphaUsdc: hundred
      })
      assert.lengthOf(yield* executions, 2 * made.length)
    }))

  it.effect("mints two orders that one Solana transaction deposited by one execution", () =>
    Effect.gen(function*() {
      const { executions, url } = yield* Running
      const before = yield* Effect.all({ held: books, executed: executions })
      const { solanaUser } = yield* userOf(4)
      const [one, other] = [
        yield* fromSolana(4, SOL, NATIVE, LAMPORTS),
        yield* fromSolana(4, SOL, NATIVE, 2n * LAMPORTS)
      ]
      yield* submitOn(
        solanaUser,
        depositOf(solanaUser, orderOn(one), LAMPORTS),
        depositOf(solanaUser, orderOn(other), 2n * LAMPORTS)
      )
      assert.deepStrictEqual([(yield* endedAnywhere(url, one)).status, (yield* endedAnywhere(url, other)).status], [
        "success",
        "success"
      ])
      yield* Effect.forEach([one, other], (each) => settled(url, orderOn(each), 1), { concurrency: "unbounded" })
      assert.strictEqual((yield* books).sol - before.held.sol, 3n * LAMPORTS)
      assert.strictEqual((yield* executions).length - before.executed.length, 3)
    }))

  it.effect("settles a refund of less than was quoted, and a stranger's refunded deposit, by the order's options", () =>
    Effect.gen(function*() {
      const { solana, url } = yield* Running
      const before = (yield* books).sol
      const [{ solanaUser: owner }, { solanaUser: stranger }] = [yield* userOf(5), yield* userOf(6)]
      const part = yield* fromSolana(5, SOL, NATIVE, LAMPORTS, { refundOnOrigin: true })
      yield* submitOn(owner, depositOf(owner, orderOn(part), LAMPORTS / 100n))
      assert.strictEqual((yield* endedAnywhere(url, part)).status, "refund")
      const theirs = yield* fromSolana(7, SOL, NATIVE, LAMPORTS, { refundTo: owner.address })
      const had = solana.chain.read(stranger.address, "processed")?.lamports ?? 0n
      yield* submitOn(stranger, depositOf(stranger, orderOn(theirs), LAMPORTS / 2n))
      yield* Effect.forEach([part, theirs], (each) => settled(url, orderOn(each), 1), { concurrency: "unbounded" })
      assert.strictEqual((yield* books).sol - before, LAMPORTS / 100n + LAMPORTS / 2n)
      // The stranger has everything back, except the fees of the two transactions.
      const has = solana.chain.read(stranger.address, "processed")?.lamports ?? 0n
      assert.isTrue(had - has > 0n && had - has <= 20_000n, `${had - has}`)
    }))
})
