/**
 * Transfers on a Solana chain whose rent is not what it was (SOLANA-24): the last price that is planned, 696 lamports a
 * byte, and one that rises between quote and fill.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { parseUnits } from "viem"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { tokenAccount } from "../../../localnet/nodes/solana/DepositoryProgram.ts"
import { usdc } from "../../../localnet/nodes/solana/Mints.ts"
import { solanaChainId as SOLANA_CHAIN } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { keyOfSeed } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { execute, postQuote, quote } from "../../testing/Client.ts"
import {
  endedAnywhere,
  fromSolana,
  quoteSolana,
  sendSolana,
  solanaBalances,
  SolanaQuote,
  stepOf,
  toSolana
} from "../../testing/SolanaClient.ts"
import { SOL, startSolanaNetwork } from "../../testing/SolanaNetwork.ts"
import { verifierOf } from "../../testing/Verified.ts"

class Running extends fixtureOf<Running>()("test/SolanaRentRunning", startSolanaNetwork()) {}

const NATIVE = "0x0000000000000000000000000000000000000000"
const evmUsdc = addressOf("TestUSDC")
const HUNDRED = parseUnits("100", 6)

const newAddress = () => keyOfSeed(new Uint8Array(randomBytes(32))).address

/** In USDC, at the local price of 150 dollars a SOL. */
const inUsdc = (lamports: bigint): bigint => (lamports * 150_000_000n + 999_999_999n) / 1_000_000_000n

const setRent = (lamportsAByte: bigint) => Effect.map(Running, ({ solana }) => solana.chain.bank.setRent(lamportsAByte))

/** With a service that has asked the chain nothing yet. */
const newly = <A, E, R>(program: (url: string) => Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.gen(function*() {
    const { startInstance } = yield* Running
    return yield* program((yield* startInstance()).url)
  }))

const accountOf = (owner: ReturnType<typeof newAddress>) =>
  Effect.promise(() => tokenAccount(owner, usdc.address, usdc.program))

layer(Running.layer, { excludeTestServices: true })("transfers at another rent of Solana", (it) => {
  it.effect("cost a recipient without an account that rent, and leave exactly it there", () =>
    Effect.gen(function*() {
      yield* setRent(696n)
      yield* newly(Effect.fnUntraced(function*(url) {
        const { chains, partyOf, solana } = yield* Running
        const { evmUser, key } = partyOf(0)
        const recipient = newAddress()
        const account = yield* accountOf(recipient)
        const outs: Array<bigint> = []
        for (const rent of [203_928n, 0n]) {
          const quoted = yield* quote(
            url,
            toSolana(evmUser, recipient, evmUsdc, usdc.address, chains.alpha.chainId, HUNDRED)
          )
          yield* execute(chains.alpha, key, quoted)
          assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "success", `${rent}`)
          outs.push(BigInt(quoted.details.currencyOut.amount))
        }
        const held = yield* solanaBalances(solana.url, account)
        assert.strictEqual(held.lamports, 203_928n)
        assert.strictEqual((outs[1] ?? 0n) - (outs[0] ?? 0n), inUsdc(203_928n))
      }))
    }))

  it.effect("show it to the user who opens an account, and to the client that checks the quote", () =>
    Effect.gen(function*() {
      yield* setRent(696n)
      yield* newly(Effect.fnUntraced(function*(url) {
        const { chains, environment, partyOf, solana } = yield* Running
        const { evmUser, solanaUser } = partyOf(3)
        const beyond = fromSolana(solanaUser.address, evmUser, usdc.address, evmUsdc, chains.beta.chainId, HUNDRED)
        const within = { ...beyond, destinationChainId: SOLANA_CHAIN, destinationCurrency: usdc.address }
        const opening = [
          ["the vault's", beyond],
          ["a recipient's", { ...within, recipient: newAddress() }],
          ["a deposit address's", { ...beyond, useDepositAddress: true, refundTo: solanaUser.address }]
        ] as const
        for (const [whose, request] of opening) {
          const body = { ...request, includeProtocolData: true }
          const verify = yield* verifierOf(chains, body, {}, environment)
          const answer = (yield* postQuote(url, body)).json()
          assert.deepStrictEqual(verify(answer).checks.filter(({ outcome }) => outcome === "failed"), [], whose)
          const quoted = Schema.decodeUnknownSync(SolanaQuote)(answer)
          assert.strictEqual(quoted.fees["gas"]?.amount, "208928", whose)
          const before = yield* solanaBalances(solana.url, solanaUser.address)
          yield* sendSolana(solana.url, [solanaUser], stepOf(quoted))
          assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "success", whose)
          const after = yield* solanaBalances(solana.url, solanaUser.address)
          assert.strictEqual(before.lamports - after.lamports, 208_928n, whose)
        }
      }))
    }))

  it.effect("bring a new account less SOL than it had to hold before, and refund as little", () =>
    Effect.gen(function*() {
      yield* setRent(696n)
      yield* newly(Effect.fnUntraced(function*(url) {
        const { chains, partyOf, solana } = yield* Running
        const { evmUser, key, solanaUser } = partyOf(1)
        const recipient = newAddress()
        const there = yield* quote(
          url,
          toSolana(evmUser, recipient, NATIVE, SOL, chains.alpha.chainId, 89_088n, { tradeType: "EXACT_OUTPUT" })
        )
        yield* execute(chains.alpha, key, there)
        assert.strictEqual((yield* endedAnywhere(url, there)).status, "success")
        assert.strictEqual((yield* solanaBalances(solana.url, recipient)).lamports, 89_088n)
        const refundTo = newAddress()
        const back = yield* quoteSolana(
          url,
          fromSolana(solanaUser.address, evmUser, SOL, NATIVE, chains.beta.chainId, 890_000n, {
            refundTo,
            referrer: "force-refund"
          })
        )
        yield* sendSolana(solana.url, [solanaUser], stepOf(back))
        assert.strictEqual((yield* endedAnywhere(url, back)).status, "refund")
        assert.strictEqual((yield* solanaBalances(solana.url, refundTo)).lamports, 885_000n)
      }))
    }))

  it.effect("deliver less by what the rent has risen since the quote, and the solver pays nothing of it", () =>
    Effect.gen(function*() {
      yield* setRent(696n)
      const { chains, partyOf, solana } = yield* Running
      const { evmUser, key } = partyOf(2)
      const recipient = newAddress()
      const body = toSolana(evmUser, recipient, evmUsdc, usdc.address, chains.alpha.chainId, HUNDRED)
      const quoted = yield* newly((url) => quote(url, body))
      yield* setRent(5_080n)
      yield* newly(Effect.fnUntraced(function*(url) {
        yield* execute(chains.alpha, key, quoted)
        assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "success")
      }))
      const account = yield* accountOf(recipient)
      const held = yield* solanaBalances(solana.url, account, account)
      assert.strictEqual(held.lamports, 1_488_440n)
      const risen = inUsdc(1_488_440n) - inUsdc(203_928n)
      assert.strictEqual(BigInt(quoted.details.currencyOut.amount) - held.tokens, risen)
    }))
})
