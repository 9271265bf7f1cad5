/**
 * Transfers from Tron through a host: steps that the unmodified tronweb signs by the way of public wallet adapters, the
 * deposit in a block, the fill on an EVM chain, and both settled on the hub by a real oracle.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { families } from "../../../../src/domain/families/index.ts"
import { alias } from "../../../../src/domain/hub/Alias.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { depository, usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { TRON_CHAIN_ID } from "../../../localnet/nodes/tron/node/ChainNumber.ts"
import { tronSlug } from "../../../localnet/nodes/tron/TronChain.ts"
import { postQuote, reader } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { settled } from "../../testing/Settlements.ts"
import { settlingOver } from "../../testing/SettlingNetwork.ts"
import { endedAnywhere, statusAnywhere } from "../../testing/SolanaClient.ts"
import { carriedOut, fromTron, orderIn, quoteTron } from "../../testing/TronClient.ts"
import type { TronQuote } from "../../testing/TronClient.ts"
import { startTronNetwork, TRX } from "../../testing/TronNetwork.ts"
import { verifierOf } from "../../testing/Verified.ts"

class Running extends fixtureOf<Running>()(
  "test/FromTron",
  startFixture(Effect.flatMap(startTronNetwork, (network) => settlingOver(network, 1, 1)), {
    settings: ({ settling }) => settling
  })
) {}

const NATIVE = "0x0000000000000000000000000000000000000000"
const usdc = addressOf("TestUSDC")
const ONE = 1_000_000n

const tronRef = { slug: ChainSlug.make(tronSlug), family: families["tron-vm"], network: "mainnet" } as const
const betaRef = { slug: ChainSlug.make("beta"), family: families["ethereum-vm"], network: "mainnet" } as const

/** The solver's units of a currency of the Tron chain on the hub. */
const onHub = Effect.fnUntraced(function*(currency: string) {
  const { chains, held } = yield* Running
  const account = Result.getOrThrow(alias(betaRef, chains.solver.toLowerCase()))
  return yield* held(toHex(BigInt(account), { size: 20 }), Result.getOrThrow(hubTokenId(tronRef, currency)))
})

const etherOf = (account: Hex) =>
  Effect.flatMap(Running, ({ chains }) => Effect.promise(() => reader(chains.alpha).getBalance({ address: account })))

const usdcOf = (account: Hex) =>
  Effect.flatMap(Running, ({ chains }) =>
    Effect.promise(() =>
      reader(chains.beta).readContract({
        address: usdc,
        abi: [{
          type: "function",
          name: "balanceOf",
          stateMutability: "view",
          inputs: [{ name: "of", type: "address" }],
          outputs: [{ name: "", type: "uint256" }]
        }],
        functionName: "balanceOf",
        args: [account]
      })
    ))

/** A quote of which everything was checked and found good. */
const checkedQuote = Effect.fnUntraced(function*(body: object) {
  const { chains, environment, url } = yield* Running
  const whole = { ...body, includeProtocolData: true }
  const known = { CHAINS: `alpha,beta,${tronSlug}`, TRON_RPC_URL: environment["TRON_RPC_URL"] ?? "" }
  const verify = yield* verifierOf(chains, whole, {}, known)
  const { checks, ok } = verify((yield* postQuote(url, whole)).json())
  assert.isTrue(ok, JSON.stringify(checks.filter(({ outcome }) => outcome !== "ok")))
  return yield* quoteTron(url, whole)
})

const refusalOf = Effect.fnUntraced(function*(body: object) {
  const { url } = yield* Running
  const { json, status } = yield* postQuote(url, body)
  const { errorCode, errorData } = json() as { errorCode?: string; errorData?: string }
  return `${status} ${errorCode} ${errorData}`
})

const gasOf = ({ fees }: TronQuote): bigint => BigInt(fees["gas"]?.amount ?? -1)

layer(Running.layer, { excludeTestServices: true })("transfers from Tron", (it) => {
  it.effect("are ether for TRX, to the unit, and settle on the hub", () =>
    Effect.gen(function*() {
      const { chains, fresh, heldOnTron, tron, url, wallet } = yield* Running
      const recipient = fresh()
      const hub = yield* onHub(TRX)
      const before = yield* heldOnTron(TRX, wallet.key.address)
      const quoted = yield* checkedQuote(fromTron(wallet, recipient, [chains.alpha.chainId, NATIVE], [TRX, 100n * ONE]))
      assert.deepStrictEqual(quoted.steps.map(({ id }) => id), ["deposit"])
      assert.strictEqual(quoted.details.userBalance, `${before}`)
      const id = yield* carriedOut(wallet, quoted)
      yield* tron.mine()
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success", inTxHashes: [id] })
      assert.strictEqual(yield* etherOf(recipient), BigInt(quoted.details.currencyOut.amount))
      const page = yield* get(`${url}/requests/${quoted.steps[0]?.requestId ?? ""}`, {
        headers: { accept: "text/html" }
      })
      // It writes an id in two parts.
      assert.include(page.text, id.slice(0, 40))
      assert.include(page.text, "Local Tron")
      const cost = before - (yield* heldOnTron(TRX, wallet.key.address)) - 100n * ONE
      assert.isTrue(cost > 0n && cost <= gasOf(quoted), `${cost} of ${gasOf(quoted)}`)
      // Nothing is attested before it is solidified.
      yield* tron.solidify
      const [settlement] = yield* settled(url, orderIn(quoted), 1)
      assert.strictEqual(settlement?.inTxHash, id)
      assert.strictEqual((yield* onHub(TRX)) - hub, 100n * ONE)
    }), shows("tron-vm", "transfers from"))

  it.effect(
    "are tokens for USDT, whose transfer returns false, by an exact approval and a deposit",
    () =>
      Effect.gen(function*() {
        const { chains, fresh, heldOnTron, tron, url, wallet } = yield* Running
        const recipient = fresh()
        const hub = yield* onHub(usdt)
        const before = yield* heldOnTron(usdt, wallet.key.address)
        const quoted = yield* checkedQuote(fromTron(wallet, recipient, [chains.beta.chainId, usdc], [usdt, 25n * ONE]))
        assert.deepStrictEqual(quoted.steps.map(({ id }) => id), ["approve", "deposit"])
        const id = yield* carriedOut(wallet, quoted)
        yield* tron.mine()
        assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success", inTxHashes: [id] })
        assert.strictEqual(yield* usdcOf(recipient), BigInt(quoted.details.currencyOut.amount))
        assert.strictEqual(before - (yield* heldOnTron(usdt, wallet.key.address)), 25n * ONE)
        yield* tron.solidify
        yield* settled(url, orderIn(quoted), 1)
        assert.strictEqual((yield* onHub(usdt)) - hub, 25n * ONE)
      }),
    shows("tron-vm", "transfers from")
  )

  for (const tradeType of ["EXACT_OUTPUT", "EXPECTED_OUTPUT"]) {
    it.effect(`of ${tradeType} take what was quoted and deliver the requested amount, from TRX and from USDT`, () =>
      Effect.gen(function*() {
        const { chains, fresh, heldOnTron, other, tron, url } = yield* Running
        for (const currency of [TRX, usdt]) {
          const [recipient, wanted] = [fresh(), 40n * ONE + 7n]
          const quoted = yield* quoteTron(
            url,
            fromTron(other, recipient, [chains.beta.chainId, usdc], [currency, wanted], { tradeType })
          )
          assert.strictEqual(quoted.details.currencyOut.amount, `${wanted}`)
          const [before, sun] = [yield* heldOnTron(currency, other.key.address), yield* heldOnTron(TRX, depository)]
          const id = yield* carriedOut(other, quoted)
          yield* tron.mine()
          assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success", inTxHashes: [id] })
          assert.strictEqual(yield* usdcOf(recipient), wanted)
          const amountIn = BigInt(quoted.details.currencyIn.amount)
          if (currency === usdt) assert.strictEqual(before - (yield* heldOnTron(usdt, other.key.address)), amountIn)
          else assert.strictEqual((yield* heldOnTron(TRX, depository)) - sun, amountIn)
        }
      }))
  }

  it.effect("a second deposit for an order goes back on Tron less its cost, in TRX and in USDT", () =>
    Effect.gen(function*() {
      const { chains, fresh, heldOnTron, other, tron, url } = yield* Running
      for (const [currency, amount] of [[TRX, 50n * ONE], [usdt, 50n * ONE]] as const) {
        const quoted = yield* quoteTron(
          url,
          fromTron(other, fresh(), [chains.alpha.chainId, NATIVE], [currency, amount])
        )
        yield* carriedOut(other, quoted)
        yield* tron.mine()
        assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success" })
        const before = yield* heldOnTron(currency, other.key.address)
        yield* carriedOut(other, quoted)
        yield* tron.mine()
        const sent = before - (yield* heldOnTron(currency, other.key.address))
        assert.isAtLeast(Number(sent), Number(amount))
        const back = yield* eventually(
          "the refund is in a block",
          Effect.andThen(tron.mine(), heldOnTron(currency, other.key.address)),
          (held) => held > before - sent
        )
        const returned = back - (before - sent)
        assert.isTrue(returned < amount && returned > amount - 15n * ONE, `${returned} of ${amount}`)
      }
    }))

  it.effect("within Tron are the user's own payment of TRX or USDT, found by the order that it names", () =>
    Effect.gen(function*() {
      const { heldOnTron, other, tron, url, wallet } = yield* Running
      for (const currency of [TRX, usdt]) {
        const before = yield* heldOnTron(currency, other.key.address)
        const quoted = yield* checkedQuote(
          fromTron(wallet, other.key.address, [TRON_CHAIN_ID, currency], [currency, 7n * ONE])
        )
        assert.deepStrictEqual(quoted.steps.map(({ id }) => id), ["send"])
        const id = yield* carriedOut(wallet, quoted)
        yield* tron.mine()
        assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success", txHashes: [id] })
        assert.strictEqual((yield* heldOnTron(currency, other.key.address)) - before, 7n * ONE)
      }
    }))

  it.effect("are filled once when a reorg takes the deposit back and a later block has it again, and never while it is gone", () =>
    Effect.gen(function*() {
      const { chains, fresh, tron, url, wallet } = yield* Running
      // Five blocks for so much.
      const [stays, goes] = [fresh(), fresh()]
      const quotedFor = (recipient: Hex) =>
        quoteTron(url, fromTron(wallet, recipient, [chains.alpha.chainId, NATIVE], [TRX, 50_000n * ONE]))
      for (const [recipient, transactions] of [[goes, "dropped"], [stays, "waiting"]] as const) {
        const quoted = yield* quotedFor(recipient)
        // The reorg takes back the deposit, and not the block that it refers to.
        const id = yield* carriedOut(wallet, quoted)
        yield* tron.mine()
        yield* eventually(
          "the deposit is seen",
          statusAnywhere(url, quoted),
          ({ inTxHashes }) => inTxHashes.includes(id)
        )
        yield* tron.reorg(1, transactions)
        if (recipient === goes) {
          yield* tron.mine(6)
          yield* eventually("the deposit is gone", statusAnywhere(url, quoted), ({ status }) => status === "waiting")
          assert.strictEqual(yield* etherOf(goes), 0n)
        } else {
          yield* tron.mine(6)
          assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success", inTxHashes: [id] })
          assert.strictEqual(yield* etherOf(stays), BigInt(quoted.details.currencyOut.amount))
        }
      }
    }))

  it.effect("are not filled when a fork has replaced the block that the deposit names, and filled once by another deposit", () =>
    Effect.gen(function*() {
      const { chains, fresh, tron, url, wallet } = yield* Running
      const recipient = fresh()
      const quoted = yield* quoteTron(
        url,
        fromTron(wallet, recipient, [chains.alpha.chainId, NATIVE], [TRX, 50_000n * ONE])
      )
      yield* tron.mine()
      const first = yield* carriedOut(wallet, quoted)
      yield* tron.mine()
      yield* eventually(
        "the deposit is seen",
        statusAnywhere(url, quoted),
        ({ inTxHashes }) => inTxHashes.includes(first)
      )
      // Its block and the one below, which it names: though it is still known, no block of this branch may hold it.
      yield* tron.reorg(2, "waiting")
      assert.isTrue(tron.chain.isWaiting(first))
      yield* tron.mine(6)
      assert.isUndefined(tron.chain.ledger.placeOf(first))
      yield* eventually("the deposit is gone", statusAnywhere(url, quoted), ({ status }) => status === "waiting")
      assert.strictEqual(yield* etherOf(recipient), 0n)
      const second = yield* carriedOut(wallet, quoted)
      assert.notStrictEqual(second, first)
      yield* tron.mine(6)
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success", inTxHashes: [second] })
      assert.strictEqual(yield* etherOf(recipient), BigInt(quoted.details.currencyOut.amount))
    }))

  it.effect("are refused by name for what Tron does not have", () =>
    Effect.gen(function*() {
      const { chains, fresh, wallet } = yield* Running
      const asked = (amount: bigint, changes: object = {}) =>
        refusalOf(fromTron(wallet, fresh(), [chains.alpha.chainId, NATIVE], [TRX, amount], changes))
      assert.strictEqual(yield* asked(40n * ONE, { usePermit: true }), "400 INVALID_REQUEST usePermit")
      assert.strictEqual(yield* asked(40n * ONE, { explicitDeposit: false }), "400 INVALID_REQUEST explicitDeposit")
      const evm = { user: wallet.key.evm }
      assert.strictEqual(yield* asked(40n * ONE, evm), "400 INVALID_ADDRESS user")
    }))
})
