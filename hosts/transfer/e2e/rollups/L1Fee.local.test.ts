/**
 * The fee of the OP stack for data on L1 is in prices, refunds and books (PRICE-28), however dear L1 is. Anvil charges it;
 * receipts with it are simulated at the wire.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { encodeFunctionData, erc20Abi, toHex } from "viem"
import type { Hex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { permit2 } from "../../../localnet/nodes/ethereum/Addresses.ts"
import type { Anvil } from "../../../localnet/nodes/ethereum/Anvil.ts"
import { configuredFolder } from "../../testing/ConfiguredFolder.ts"
import { ended, execute, nativeRequest, post, quote, sendDeposit, status } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { addressFor, payTo } from "../../testing/Addressed.ts"
import { requestOf } from "../../testing/Fixture.ts"
import { addSponsors, keyOf } from "../../testing/Sponsor.ts"
import { actualOf, SponsoredQuote } from "../../testing/Sponsored.ts"
import { get } from "../../testing/Get.ts"
import { startTransferInstance } from "../../testing/HostInstance.ts"
import { lyingNode } from "../../testing/LyingNode.ts"
import { assertDelivered, assertRefundedOnce, balanceOf, eventually, paymentsOf } from "../../testing/Misbehaving.ts"
import { frontRun, ON, SWITCHED } from "../../testing/RevertingCalls.ts"
import { itemOf, permitEnded, permitRequest, postSignature, quotePermit } from "../../testing/PermitClient.ts"
import { startChainsWith } from "../../testing/TestChains.ts"
import { ETH, held, USDC, USDT } from "../../testing/Tokens.ts"
import { networkOn } from "../../testing/TransferNetwork.ts"
import { asRollups } from "./testing/AsRollups.ts"
import { setL1Fees, showL1Fees, spentBy } from "./testing/OpStack.ts"

const SPONSOR = { id: "sponsor", wallet: toHex(0x5b1_0001, { size: 20 }), balance: 1_000_000_000n }

const start = Effect.gen(function*() {
  const network = yield* networkOn(startChainsWith(["--network", "optimism"]))
  const { chains: { alpha, beta }, environment } = network
  const [alphaNode, betaNode] = [yield* lyingNode(alpha.url), yield* lyingNode(beta.url)]
  showL1Fees(alphaNode, alpha)
  showL1Fees(betaNode, beta)
  const settings = {
    ...environment,
    ALPHA_RPC_URL: alphaNode.url,
    BETA_RPC_URL: betaNode.url,
    FACTS_MAX_AGE_MS: "0"
  }
  const configs = yield* configuredFolder(asRollups("op-stack"))
  yield* addSponsors(network.store, [SPONSOR])
  return {
    ...network,
    betaNode,
    startRollups: startTransferInstance(settings, configs),
    startPlain: startTransferInstance(settings)
  }
})

class Network extends fixtureOf<Network>()("test/L1Fee", start) {}

const GWEI = 10n ** 9n
const CALM = { base: GWEI, blob: GWEI }
/** A plain payment costs some hundred times its gas. */
const DEAR = { base: 500n * GWEI, blob: 20_000n * GWEI }
/** The operator takes more than data and gas together. */
const OPERATED = { ...CALM, operator: { scalar: 10n ** 9n, constant: 10n ** 15n } }

/** The price of ether on the local chains. */
const DOLLARS = 2_500n

/** Less than the data of any payment takes then. */
const LEAST_DEAR = 10n ** 15n

/** A contract wallet that has signed whatever it is asked about (EIP-1271). */
const ACCEPTING = `0x7f1626ba7e${"00".repeat(28)}60005260206000f3`

/** In the name of the contract. */
const approvePermit2 = Effect.fnUntraced(function*(anvil: Anvil, wallet: Hex) {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [permit2, USDT.some] })
  yield* anvil.setBalance(wallet, 10n ** 18n)
  yield* anvil.request("anvil_impersonateAccount", [wallet])
  yield* anvil.request("eth_sendTransaction", [{ from: wallet, to: USDT.address, data }])
  yield* anvil.mine()
})

/** The fee of the transaction that paid, as the history has it. */
const Booked = Schema.Struct({
  requests: Schema.Array(Schema.Struct({
    data: Schema.Struct({ outTxs: Schema.Array(Schema.Struct({ fee: Schema.String, hash: Schema.String })) })
  }))
})
const bookedFor = Effect.fnUntraced(function*(url: string, { steps }: QuoteAnswer) {
  const answer = yield* get(`${url}/requests?id=${steps[0]?.requestId ?? ""}`)
  const { requests } = yield* Schema.decodeUnknownEffect(Booked)(answer.json())
  return requests[0]?.data.outTxs.map(({ fee }) => BigInt(fee)) ?? []
})

layer(Network.layer, { excludeTestServices: true })("a chain that takes a fee for data on L1", (it) => {
  it.effect("has it in the price of a fill and in the books, to the unit, and not where its entry does not say so", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, chains: { alpha, beta, solver }, fresh, key, startPlain, startRollups, user } = yield* Network
      const transfer = Effect.fnUntraced(function*(url: string) {
        const recipient = fresh()
        const quoted = yield* quote(url, nativeRequest(user(0), alpha, beta, 100n * ETH.some, { recipient }))
        yield* sendDeposit(alpha, key(0), quoted)
        assert.strictEqual((yield* ended(url, quoted)).status, "success")
        yield* assertDelivered(chains, quoted, recipient)
        const [fill] = yield* paymentsOf(beta, solver, quoted)
        const spent = yield* Effect.promise(() => spentBy(beta, fill?.hash ?? "0x"))
        return {
          charged: BigInt(quoted.fees["relayerGas"]?.amount ?? "0"),
          spent,
          booked: yield* bookedFor(url, quoted)
        }
      })
      yield* setL1Fees(alpha, CALM)
      for (const fees of [CALM, DEAR, OPERATED]) {
        yield* setL1Fees(beta, fees)
        const { booked, charged, spent } = yield* Effect.scoped(
          Effect.flatMap(startRollups, ({ url }) => transfer(url))
        )
        assert.isTrue(charged >= spent, `${charged} ${spent}`)
        // No more than half above it: the chain's own bound, and an eighth.
        assert.isTrue(charged <= (spent * 3n) / 2n, `${charged} ${spent}`)
        assert.deepStrictEqual(booked, [spent])
      }
      const { booked, charged, spent } = yield* Effect.scoped(Effect.flatMap(startPlain, ({ url }) => transfer(url)))
      assert.isTrue(charged * 10n < spent, `${charged} ${spent}`)
      assert.isTrue((booked[0] ?? 0n) * 10n < spent)
    })))

  it.effect("has it in what a refund keeps, of a deposit that comes to an account and of one that comes to a deposit address", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, chains: { alpha, beta, operator, solver }, fresh, key, startRollups, user } = yield* Network
      yield* setL1Fees(alpha, DEAR)
      yield* setL1Fees(beta, CALM)
      const { url } = yield* startRollups
      const deposited = 60n * ETH.some
      const [refundTo, another] = [fresh(), fresh()]
      const request = (to: Hex) =>
        nativeRequest(user(0), alpha, beta, 100n * ETH.some, { recipient: fresh(), refundTo: to })
      const quoted = yield* quote(url, request(refundTo))
      yield* sendDeposit(alpha, key(0), quoted, deposited)
      const { inTxHashes, status: ending } = yield* ended(url, quoted)
      assert.strictEqual(ending, "refund")
      // What the user is told that the deposit's own transaction may cost.
      const sent = yield* Effect.promise(() => spentBy(alpha, inTxHashes[0] ?? "0x"))
      assert.isTrue(sent > LEAST_DEAR && BigInt(quoted.fees["gas"]?.amount ?? "0") >= sent, `${sent}`)
      const refunded = yield* assertRefundedOnce(chains, quoted, refundTo)
      const [refund] = yield* paymentsOf(alpha, solver, quoted)
      const spent = yield* Effect.promise(() => spentBy(alpha, refund?.hash ?? "0x"))
      assert.isTrue(spent > LEAST_DEAR && deposited - refunded >= spent, `${deposited - refunded} ${spent}`)
      assert.isTrue(deposited - refunded <= BigInt(quoted.details.refundCurrency.amount) * 2n)

      const address = yield* addressFor(url, { ...request(another), strict: true })
      const [operatorHad, solverHad] = [yield* balanceOf(alpha, operator), yield* balanceOf(alpha, solver)]
      yield* payTo(alpha, key(0), address.depositAddress, ETH, deposited)
      assert.strictEqual((yield* ended(url, address.quoted)).status, "refund")
      const returned = yield* balanceOf(alpha, another)
      const swept = operatorHad - (yield* balanceOf(alpha, operator))
      const paid = solverHad - (yield* balanceOf(alpha, solver)) - returned
      assert.isTrue(swept > LEAST_DEAR && paid > LEAST_DEAR && returned > 0n, `${swept} ${paid}`)
      assert.isTrue(deposited - returned >= swept + paid, `${deposited - returned} ${swept} ${paid}`)
    })))

  it.effect("has it in the price of a sweep, which the operator makes", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta, operator }, fresh, key, startRollups, user } = yield* Network
      yield* setL1Fees(alpha, DEAR)
      yield* setL1Fees(beta, CALM)
      const { url } = yield* startRollups
      const { depositAddress, quoted } = yield* addressFor(
        url,
        nativeRequest(user(0), alpha, beta, 100n * ETH.some, { recipient: fresh(), refundTo: fresh() })
      )
      const before = yield* balanceOf(alpha, operator)
      yield* payTo(alpha, key(0), depositAddress, ETH, 100n * ETH.some)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      const swept = before - (yield* balanceOf(alpha, operator))
      const charged = BigInt(quoted.fees["relayerGas"]?.amount ?? "0")
      assert.isTrue(swept > LEAST_DEAR && charged >= swept, `${charged} ${swept}`)
    })))

  it.effect("has it in what a deposit pays whose fill reverts in a recipient's code, at most what was shown (REFUND-11)", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, chains: { alpha, beta, solver }, fresh, key, startRollups, user } = yield* Network
      yield* setL1Fees(alpha, CALM)
      yield* setL1Fees(beta, DEAR)
      const { url } = yield* startRollups
      const [recipient, refundTo] = [fresh(), fresh()]
      yield* beta.setCode(recipient, SWITCHED)
      const quoted = yield* quote(url, nativeRequest(user(0), alpha, beta, 100n * ETH.some, { recipient, refundTo }))
      yield* frontRun(chains, sendDeposit(alpha, key(0), quoted), recipient, ON, key(1))
      assert.strictEqual((yield* ended(url, quoted)).failReason, "TRANSACTION_REVERTED")
      const [fill] = yield* paymentsOf(beta, solver, quoted)
      const spent = yield* Effect.promise(() => spentBy(beta, fill?.hash ?? "0x"))
      const { amount, minimumAmount } = quoted.details.refundCurrency
      const kept = BigInt(amount) - (yield* balanceOf(alpha, refundTo))
      assert.isTrue(spent > LEAST_DEAR && kept >= spent, `${kept} ${spent}`)
      assert.isTrue(kept <= BigInt(amount) - BigInt(minimumAmount), `${kept}`)
    })))

  it.effect("signs no payment that its account cannot pay that fee for", () =>
    Effect.scoped(Effect.gen(function*() {
      const { betaNode, chains: { alpha, beta, solver }, fresh, key, startRollups, user } = yield* Network
      yield* setL1Fees(alpha, CALM)
      yield* setL1Fees(beta, DEAR)
      const { url } = yield* startRollups
      const recipient = fresh()
      const quoted = yield* quote(url, {
        ...nativeRequest(user(0), alpha, beta, USDC.some, { recipient }),
        originCurrency: USDC.address,
        destinationCurrency: USDC.address
      })
      const before = yield* balanceOf(beta, solver)
      // Enough for gas and for what data takes on L1 now, so that the node estimates it, but not for twice that.
      yield* beta.setBalance(solver, 5n * LEAST_DEAR)
      const sent = betaNode.calls("eth_sendRawTransaction")
      yield* execute(alpha, key(0), quoted)
      yield* eventually("it is delayed", status(url, quoted), (answer) => answer.status === "delayed")
      assert.strictEqual(betaNode.calls("eth_sendRawTransaction"), sent)
      yield* beta.setBalance(solver, before)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.strictEqual(yield* held(beta, USDC, recipient), BigInt(quoted.details.currencyOut.amount))
    })))

  it.effect("takes no permit whose signature costs more there than its owner has paid for", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta, operator }, fresh, key, startPlain, startRollups } = yield* Network
      yield* setL1Fees(alpha, DEAR)
      yield* setL1Fees(beta, CALM)
      const posted = Effect.fnUntraced(function*(url: string, bytes: number) {
        const wallet = fresh()
        yield* alpha.setCode(wallet, ACCEPTING)
        yield* payTo(alpha, key(0), wallet, USDT, USDT.some)
        yield* approvePermit2(alpha, wallet)
        const { quoted } = yield* quotePermit(url, permitRequest(wallet, alpha, beta, USDT))
        const answer = yield* postSignature(url, itemOf(quoted), toHex(1n, { size: bytes }))
        return { quoted, answer, item: itemOf(quoted) }
      })
      const plain = yield* Effect.scoped(Effect.flatMap(startPlain, ({ url }) => posted(url, 4_000)))
      assert.strictEqual(plain.answer.status, 200, plain.answer.text)
      const { url } = yield* startRollups
      assert.include((yield* posted(url, 4_000)).answer.text, "takes more gas than was quoted")
      // Four owners' signatures are fine, and their submission costs no more than was charged.
      const before = yield* balanceOf(alpha, operator)
      const usual = yield* posted(url, 260)
      assert.strictEqual(usual.answer.status, 200, usual.answer.text)
      assert.strictEqual((yield* permitEnded(url, usual.item)).status, "success")
      const spent = before - (yield* balanceOf(alpha, operator))
      const charged = (BigInt(usual.quoted.fees["relayerGas"]?.amount ?? "0") * 10n ** 12n) / DOLLARS
      assert.isTrue(spent > LEAST_DEAR && charged >= spent, `${charged} ${spent}`)
    })))

  it.effect("has it in what a sponsor pays in the end, by the receipt", () =>
    Effect.scoped(Effect.gen(function*() {
      const network = yield* Network
      const { chains: { alpha, beta, solver }, fresh, key, startRollups } = network
      yield* setL1Fees(alpha, CALM)
      yield* setL1Fees(beta, DEAR)
      const { url } = yield* startRollups
      const body = requestOf(network, 0, [USDC, USDC], { recipient: fresh(), subsidizeFees: true })
      const answer = yield* post(`${url}/quote`, body, keyOf(SPONSOR))
      const quoted = yield* Schema.decodeUnknownEffect(SponsoredQuote)(answer.json())
      const before = yield* balanceOf(beta, solver)
      yield* execute(alpha, key(0), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      const spent = before - (yield* balanceOf(beta, solver))
      const shown = yield* eventually("who paid", actualOf(url, quoted), (actual) => actual !== undefined)
      const paid = BigInt(shown?.components["execution"]?.sponsored.amount ?? "0")
      const dollars = (spent * DOLLARS) / 10n ** 12n
      assert.isTrue(spent > LEAST_DEAR && paid >= dollars && paid * 100n <= dollars * 101n, `${paid} ${dollars}`)
    })))

  it.effect("is the solver's where it rises within the price's thirty seconds (PRICE-16), but for code that could revert (REFUND-11)", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, chains: { alpha, beta }, fresh, key, startRollups, user } = yield* Network
      yield* setL1Fees(alpha, CALM)
      yield* setL1Fees(beta, CALM)
      const { url } = yield* startRollups
      const [recipient, wallet, refundTo] = [fresh(), fresh(), fresh()]
      yield* beta.setCode(wallet, SWITCHED)
      const request = (to: Hex) => nativeRequest(user(0), alpha, beta, 100n * ETH.some, { recipient: to, refundTo })
      const toAccount = yield* quote(url, request(recipient))
      const toCode = yield* quote(url, request(wallet))
      yield* setL1Fees(beta, DEAR)
      yield* sendDeposit(alpha, key(0), toAccount)
      assert.strictEqual((yield* ended(url, toAccount)).status, "success")
      yield* assertDelivered(chains, toAccount, recipient)
      // What this one would cost if it reverts is far above what its deposit covers, and what REVERTED_CALLS_USD allows.
      yield* sendDeposit(alpha, key(0), toCode)
      assert.strictEqual((yield* ended(url, toCode)).failReason, "SOLVER_CAPACITY_EXCEEDED")
      yield* assertRefundedOnce(chains, toCode, refundTo)
    })))
})
