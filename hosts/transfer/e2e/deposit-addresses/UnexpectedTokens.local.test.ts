import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { encodeFunctionData, erc20Abi, toHex } from "viem"
import type { Hex } from "viem"
import { abi as depositoryAbi } from "../../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { rowsBeside } from "../../testing/BesideStore.ts"
import { requestOf, startFixture } from "../../testing/Fixture.ts"
import { ended, execute, postQuote, quote, sendCall, status } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { closed, eventually, orderIdOf } from "../../testing/Misbehaving.ts"
import { ETH, held, USDC, USDT } from "../../testing/Tokens.ts"
import type { TestCurrency } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Running extends fixtureOf<Running>()("test/TokensRunning", startFixture(startNetwork)) {}

const fresh = (index: number) => toHex(0xe0000000000 + index, { size: 20 })

/** A user's transfer from alpha to beta, with refunds to a new account. */
const ask = Effect.fnUntraced(function*(index: number, from: TestCurrency, to: TestCurrency, changes: object = {}) {
  const running = yield* Running
  const own = { recipient: fresh(index), refundTo: fresh(100 + index), ...changes }
  return yield* quote(running.url, requestOf(running, index, [from, to], own))
})

const approve = (token: TestCurrency, amount: bigint) => ({
  to: token.address,
  data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [addressOf("Depository"), amount] })
})

/** Approves and deposits any amount in the name of an order. */
const deposit = Effect.fnUntraced(
  function*(index: number, token: TestCurrency, amount: bigint, orderId: Hex, depositor?: Hex) {
    const { chains: { alpha }, key, user } = yield* Running
    yield* sendCall(alpha, key(index), approve(token, amount))
    yield* sendCall(alpha, key(index), {
      to: addressOf("Depository"),
      data: encodeFunctionData({
        abi: depositoryAbi,
        functionName: "depositErc20",
        args: [depositor ?? user(index), token.address, amount, orderId]
      })
    })
  }
)

const stepsOf = ({ steps }: QuoteAnswer) => steps.map(({ id, items }) => [id, items.length])

/** A cent: far more than the gas of a token refund on a local chain. */
const CENT = 10_000n

layer(Running.layer, { excludeTestServices: true })("unexpected deposits", (it) => {
  it.effect("an allowance that is too small is reset first where the token requires it, and a sufficient one is left unchanged", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key, url } = yield* Running
      yield* sendCall(alpha, key(0), approve(USDT, 5n))
      const quoted = yield* ask(0, USDT, USDT)
      assert.deepStrictEqual(stepsOf(quoted), [["approve", 2], ["deposit", 1]])
      assert.isTrue(quoted.steps[0]?.items.every(({ check }) => check === undefined))
      yield* execute(alpha, key(0), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.strictEqual(yield* held(beta, USDT, fresh(0)), BigInt(quoted.details.currencyOut.amount))
      // A token that allows changes of its allowance needs only one approval.
      yield* sendCall(alpha, key(0), approve(USDC, 5n))
      assert.deepStrictEqual(stepsOf(yield* ask(0, USDC, USDC)), [["approve", 1], ["deposit", 1]])
      yield* sendCall(alpha, key(0), approve(USDC, USDC.some))
      assert.deepStrictEqual(stepsOf(yield* ask(0, USDC, USDC)), [["deposit", 1]])
    }))

  it.effect("a plain transfer with the order id appended is a deposit (explicitDeposit: false), and needs no approval", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key, url } = yield* Running
      const quoted = yield* ask(1, USDC, ETH, { explicitDeposit: false })
      assert.deepStrictEqual(stepsOf(quoted), [["deposit", 1]])
      assert.strictEqual(quoted.steps[0]?.items[0]?.data.to.toLowerCase(), USDC.address.toLowerCase())
      yield* execute(alpha, key(1), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.strictEqual(yield* held(beta, ETH, fresh(1)), BigInt(quoted.details.currencyOut.amount))
    }))

  it.effect("a smaller amount is refunded to refundTo less its gas, and never more than came", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, url } = yield* Running
      const quoted = yield* ask(2, USDC, USDC)
      const sent = USDC.some / 2n
      yield* deposit(2, USDC, sent, orderIdOf(quoted))
      const end = yield* ended(url, quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL"])
      const back = yield* held(alpha, USDC, fresh(102))
      assert.isTrue(back < sent && back > sent - 50n * CENT, `${back} of ${sent}`)
      assert.strictEqual(end.refunds[0]?.refunded, back.toString())
      assert.strictEqual(yield* held(beta, USDC, fresh(2)), 0n)
    }))

  it.effect("a larger amount is delivered as well; with an exact output the surplus goes to the recipient, or to the solver if requested", () =>
    Effect.gen(function*() {
      const { chains: { beta }, url } = yield* Running
      const changes = { tradeType: "EXACT_OUTPUT", amount: USDC.some.toString() }
      const given = yield* ask(3, USDC, USDC, changes)
      const kept = yield* ask(4, USDC, USDC, { ...changes, enableTrueExactOutput: true })
      for (const [index, quoted] of [[3, given], [4, kept]] as const) {
        yield* deposit(index, USDC, BigInt(quoted.details.currencyIn.amount) + 1_000_000n, orderIdOf(quoted))
        assert.strictEqual((yield* ended(url, quoted)).status, "success")
      }
      const [more, exact] = [yield* held(beta, USDC, fresh(3)), yield* held(beta, USDC, fresh(4))]
      // Today's gas may cost a little more or less than quoted.
      assert.isTrue(more > USDC.some + 900_000n && more < USDC.some + 1_100_000n, `${more}`)
      assert.strictEqual(exact, USDC.some)
    }))

  it.effect("another currency is refunded in kind", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, url } = yield* Running
      const quoted = yield* ask(5, USDC, USDC)
      yield* deposit(5, USDT, USDT.some, orderIdOf(quoted))
      const end = yield* ended(url, quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "INCORRECT_DEPOSIT_CURRENCY"])
      const back = yield* held(alpha, USDT, fresh(105))
      assert.isTrue(back > USDT.some - 50n * CENT && back < USDT.some, `${back}`)
      assert.strictEqual(yield* held(alpha, USDC, fresh(105)), 0n)
    }))

  it.effect("a second deposit is refunded, and the success stays", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key, url } = yield* Running
      const quoted = yield* ask(6, USDC, USDT)
      yield* execute(alpha, key(6), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* deposit(6, USDC, USDC.some, orderIdOf(quoted))
      const after = yield* eventually("the second deposit is refunded", status(url, quoted), ({ refunds }) =>
        refunds[0]?.state === "paid")
      assert.deepStrictEqual([after.status, after.failReason, after.refunds[0]?.reason], [
        "success",
        "N/A",
        "DOUBLE_SPEND"
      ])
      assert.strictEqual(yield* held(beta, USDT, fresh(6)), BigInt(quoted.details.currencyOut.amount))
      assert.strictEqual(yield* held(alpha, USDC, fresh(106)), BigInt(after.refunds[0]?.refunded ?? "-1"))
    }))

  it.effect("a refund that its gas would consume is a failure with its reason", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const quoted = yield* ask(7, USDC, USDC)
      yield* deposit(7, USDC, 1n, orderIdOf(quoted))
      const end = yield* ended(url, quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["failure", "AMOUNT_TOO_LOW_TO_REFUND"])
    }))

  it.effect("dust that a stranger sends in another's name, of the right or another token, changes nothing for the user", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key, url, user } = yield* Running
      const quoted = yield* ask(8, USDC, USDC)
      const before = yield* closed(url, "unrefundable")
      yield* deposit(9, USDC, 1n, orderIdOf(quoted), user(8))
      yield* deposit(9, USDT, 1n, orderIdOf(quoted), user(8))
      yield* eventually("the dust is recorded", closed(url, "unrefundable"), (count) => count === before + 2)
      assert.strictEqual((yield* status(url, quoted)).status, "waiting")
      yield* execute(alpha, key(8), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.strictEqual(yield* held(beta, USDC, fresh(8)), BigInt(quoted.details.currencyOut.amount))
    }))

  it.effect("an unknown id, or none, moves no money of ours", () =>
    Effect.gen(function*() {
      const { chains: { alpha, solver }, key, url } = yield* Running
      const paid = yield* held(alpha, USDC, solver)
      const before = yield* closed(url, "foreign")
      yield* deposit(9, USDC, USDC.some, `0x${"5a".repeat(32)}`)
      yield* sendCall(alpha, key(9), {
        to: USDC.address,
        data: encodeFunctionData({
          abi: erc20Abi,
          functionName: "transfer",
          args: [addressOf("Depository"), USDC.some]
        })
      })
      yield* eventually("both are seen as nobody's", closed(url, "foreign"), (count) => count === before + 2)
      assert.strictEqual(yield* held(alpha, USDC, solver), paid)
    }))

  it.effect("a deposit after its ttl is refunded; in a local network, so is one that requests it", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, key, url } = yield* Running
      const late = yield* ask(0, USDC, USDC, { ttl: 1, recipient: fresh(50), refundTo: fresh(150) })
      const forced = yield* ask(1, USDC, USDC, { referrer: "force-refund", recipient: fresh(51), refundTo: fresh(151) })
      yield* execute(alpha, key(1), forced)
      assert.strictEqual((yield* ended(url, forced)).status, "refund")
      yield* Effect.sleep(2_500)
      yield* execute(alpha, key(0), late)
      const end = yield* ended(url, late)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "TTL_EXPIRED"])
      assert.isAbove(Number(yield* held(alpha, USDC, fresh(150))), 0)
      assert.isAbove(Number(yield* held(alpha, USDC, fresh(151))), 0)
    }))

  it.effect("app fees are deducted, booked for their recipients in the ledger once, and shown in the history", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, environment, key, url } = yield* Running
      const recipients = [fresh(400), fresh(401)]
      const appFees = [{ recipient: recipients[0], fee: "30" }, { recipient: recipients[1], fee: "1" }]
      const quoted = yield* ask(6, USDC, USDT, { appFees, recipient: fresh(52) })
      yield* execute(alpha, key(6), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.strictEqual(quoted.fees["app"]?.amount, "77500")
      const booked = rowsBeside(
        environment["DATABASE_URL"] ?? "",
        "SELECT account, balance FROM ledger_accounts WHERE account LIKE 'AppFeePayable%' ORDER BY balance"
      )
      const rows = yield* eventually("both are booked", booked, (found) => found.length === 2)
      assert.deepStrictEqual(rows.map((row) => [row["account"], row["balance"]]), [
        [`AppFeePayable:${recipients[1]}`, "2500"],
        [`AppFeePayable:${recipients[0]}`, "75000"]
      ])
      const history = yield* Effect.promise(() =>
        fetch(`${url}/requests?id=${quoted.steps[0]?.requestId}`).then((response) => response.text())
      )
      assert.include(
        history,
        `"appFees":[{"recipient":"${recipients[0]}","bps":"30","amount":"75000"},{"recipient":"${
          recipients[1]
        }","bps":"1","amount":"2500"}]`
      )
    }))

  it.effect("an amount above the inventory is refused, and so is a simulated deposit that the token would reject", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta, solver }, url, user } = yield* Running
      const body = {
        user: user(2),
        originChainId: alpha.chainId,
        destinationChainId: beta.chainId,
        originCurrency: USDC.address,
        destinationCurrency: USDC.address,
        tradeType: "EXACT_OUTPUT"
      }
      const inventory = yield* held(beta, USDC, solver)
      const beyond = yield* postQuote(url, { ...body, amount: (inventory + 1n).toString() })
      assert.strictEqual(beyond.status, 400)
      assert.include(beyond.text, "INSUFFICIENT_LIQUIDITY")
      const toContract = yield* postQuote(url, { ...body, amount: "1000000", refundTo: addressOf("Vault") })
      assert.strictEqual(toContract.status, 400)
      assert.include(toContract.text, "refundTo")
      // A larger existing approval does not matter here: approvals are exact and for the depository alone.
      const quoted = yield* ask(2, USDC, USDC)
      const approval = quoted.steps[0]?.items[0]?.data.data
      assert.strictEqual(
        approval,
        encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [addressOf("Depository"), USDC.some] })
      )
    }))

  // The last test, because the chain's clock is eight days ahead from here on.
  it.effect("after the order's deadline a deposit is filled within the requested tolerance, and refunded without one", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key, url } = yield* Running
      const accepted = yield* ask(3, USDC, USDC, { latePaymentSlippageTolerance: "500", recipient: fresh(53) })
      const refused = yield* ask(4, USDC, USDC, { recipient: fresh(54), refundTo: fresh(154) })
      yield* alpha.request("evm_increaseTime", [8 * 86_400])
      yield* alpha.mine()
      yield* execute(alpha, key(3), accepted)
      const end = yield* ended(url, accepted)
      assert.deepStrictEqual([end.status, end.failReason], ["success", "N/A"])
      const delivered = yield* held(beta, USDC, fresh(53))
      assert.isTrue(delivered * 10_000n >= BigInt(accepted.details.currencyOut.amount) * 9_500n, `${delivered}`)
      yield* execute(alpha, key(4), refused)
      const back = yield* ended(url, refused)
      assert.deepStrictEqual([back.status, back.failReason], ["refund", "ORDER_EXPIRED"])
      assert.isAbove(Number(yield* held(alpha, USDC, fresh(154))), 0)
    }))
})
