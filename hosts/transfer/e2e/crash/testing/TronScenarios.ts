/**
 * Transfers from and to Tron that crash tests begin, and what must be true of all of them at the end, according to the
 * chains and the ledger.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { depository, usdt } from "../../../../localnet/nodes/tron/Deposits.ts"
import type { Executed } from "../../../../localnet/nodes/tron/node/Ledger.ts"
import { keyOfName } from "../../../../localnet/nodes/tron/node/LocalKey.ts"
import { quote, sendDeposit } from "../../../testing/Client.ts"
import type { QuoteAnswer } from "../../../testing/Client.ts"
import { balanceOf, orderIdOf, sentBy } from "../../../testing/Misbehaving.ts"
import { endedAnywhere, refundedAnywhere } from "../../../testing/SolanaClient.ts"
import { keyOf } from "../../../testing/Sponsor.ts"
import { carriedOut, fromTron, isSentBy, namedBy, orderIn, quoteTron, toTron } from "../../../testing/TronClient.ts"
import type { TronQuote } from "../../../testing/TronClient.ts"
import { TRX } from "../../../testing/TronNetwork.ts"
import type { startTronNetwork } from "../../../testing/TronNetwork.ts"
import { assertSponsored, sponsor } from "./Scenarios.ts"
import { assertSweptOnTron, beginSwept, paySwept } from "./TronSwept.ts"
import type { TronSwept } from "./TronSwept.ts"

/**
 * `arriving` is ether for USDT, all of it sponsored. `leaving` is USDT of Tron for ether. `returned` is TRX that is
 * refunded, `returnedToken` USDT. `swept` is more USDT than quoted at a strict deposit address. `expired` is ether for
 * TRX, whose first transaction no block takes before it has expired.
 */
export type TronScenario = "arriving" | "leaving" | Returned | "swept" | "expired"
type Returned = "returned" | "returnedToken"

const isReturned = (scenario: TronScenario): scenario is Returned =>
  scenario === "returned" || scenario === "returnedToken"

export type TronNetwork = Effect.Success<typeof startTronNetwork>

/** `_tag`: the origin's family. */
interface Named {
  /** The account has no other income. */
  readonly paid: string
  readonly orderId: string
}

export type TronBegun =
  | Named & {
    readonly _tag: "Ethereum"
    readonly scenario: "arriving" | "expired"
    readonly quoted: QuoteAnswer
  }
  | Named & { readonly _tag: "Tron"; readonly scenario: "leaving" | Returned; readonly quoted: TronQuote }
  | TronSwept

const ETHER = "0x0000000000000000000000000000000000000000"
const ONE = 1_000_000n
const [TOKENS, SUN] = [25n * ONE, 100n * ONE]

const freshTron = (index: number) => keyOfName(`causeway.test.crash.tron.${index}`).address
const freshEvm = (index: number): Hex => toHex(0x7404_0000_0000n + BigInt(index), { size: 20 })

/** Begins a scenario with its own index among all on the network. */
export const beginTron = Effect.fnUntraced(
  function*(
    url: string,
    { chains: { alpha, beta, users }, wallet }: TronNetwork,
    scenario: TronScenario,
    index: number
  ) {
    if (scenario === "swept") return yield* beginSwept(url, beta.chainId, freshEvm(index), freshTron(index))
    const appFees = [{ recipient: toHex(0xfee, { size: 20 }), fee: "30" }]
    if (scenario === "leaving" || isReturned(scenario)) {
      const leaving = scenario === "leaving"
      const quoted = yield* quoteTron(
        url,
        fromTron(
          wallet,
          freshEvm(index),
          [beta.chainId, ETHER],
          scenario === "returned" ? [TRX, SUN] : [usdt, TOKENS],
          leaving ? { appFees } : { refundTo: freshTron(index), refundOnOrigin: true, referrer: "force-refund" }
        )
      )
      const paid = leaving ? freshEvm(index) : freshTron(index)
      return { _tag: "Tron", scenario, quoted, paid, orderId: orderIn(quoted) } satisfies TronBegun
    }
    const paid = freshTron(index)
    const arriving = scenario === "arriving"
    const user = privateKeyToAccount(users[index % users.length] ?? "0x").address
    const quoted = yield* quote(
      url,
      toTron(user, paid, alpha.chainId, arriving ? usdt : TRX, arriving ? { subsidizeFees: true } : { appFees }),
      arriving ? keyOf(sponsor) : {}
    )
    return { _tag: "Ethereum", scenario, quoted, paid, orderId: orderIdOf(quoted) } satisfies TronBegun
  }
)

/** The user's deposit. */
export const payTron = (
  { chains: { alpha, users }, wallet }: TronNetwork,
  begun: TronBegun,
  index: number
): Effect.Effect<void, unknown> => {
  switch (begun._tag) {
    case "Ethereum":
      return Effect.asVoid(sendDeposit(alpha, users[index % users.length] ?? "0x", begun.quoted))
    case "Tron":
      return Effect.asVoid(carriedOut(wallet, begun.quoted))
    case "Swept":
      return Effect.asVoid(paySwept(wallet, begun))
  }
}

/** Every transaction of the solver in a block. */
const sentOnTron = (network: TronNetwork): ReadonlyArray<Executed> => {
  const { ledger } = network.tron.chain
  return [...ledger.from(1, ledger.tip.number)].flatMap(({ executed }) => executed)
    .filter(({ transaction }) => isSentBy(network.tronSolver, transaction))
}

/** What the solver and the depository hold: sun, and units of USDT. */
export const holdingsOnTron = ({ heldOnTron, tronSolver }: TronNetwork) => {
  const of = (account: string) => Effect.all([heldOnTron(TRX, account), heldOnTron(usdt, account)])
  return Effect.all({ solver: of(tronSolver.address), depository: of(depository) })
}
export type Holdings = Effect.Success<ReturnType<typeof holdingsOnTron>>

const countOf = (begun: ReadonlyArray<TronBegun>, scenario: TronScenario) =>
  BigInt(begun.filter((each) => each.scenario === scenario).length)

/**
 * Each has ended as intended, paid to the unit by exactly one transaction that names it. The solver has sent nothing
 * else. The balances of solver and depository are those of `before`, changed only by these payments, their fees and the
 * deposits.
 */
export const assertEachOnceOnTron = Effect.fnUntraced(
  function*(url: string, network: TronNetwork, begun: ReadonlyArray<TronBegun>, before: Holdings) {
    const { chains: { beta, solver }, heldOnTron, tron } = network
    const ends = yield* Effect.forEach(begun, (each) => endedOnTron(url, each))
    // Whatever else was signed would be executed by now.
    yield* tron.mine(25)
    const sent = sentOnTron(network)
    const onBeta = yield* sentBy(beta, solver)
    let [sun, tokens, deposited] = [0n, 0n, 0n]
    for (const [index, each] of begun.entries()) {
      if (each._tag === "Swept") {
        assert.strictEqual(ends[index]?.status, "success", each.depositAddress)
        const moved = yield* assertSweptOnTron(network, sent, onBeta, each)
        sun += moved.funded
        tokens += moved.returned
        deposited += moved.deposited
        continue
      }
      const { orderId, paid, quoted, scenario } = each
      const what = `${scenario} ${orderId}`
      const { amount } = quoted.details.currencyOut
      const here = sent.filter(({ transaction }) => namedBy(transaction) === orderId)
      const there = onBeta.filter(({ input }) => input === orderId)
      assert.strictEqual(ends[index]?.status, isReturned(scenario) ? "refund" : "success", what)
      assert.deepStrictEqual(
        [here.map(({ result }) => result), there.length],
        scenario === "leaving" ? [[], 1] : [["SUCCESS"], 0],
        what
      )
      if (scenario === "leaving") {
        assert.strictEqual(`${yield* balanceOf(beta, freshEvm(index))}`, amount, what)
        continue
      }
      const currency = scenario === "arriving" || scenario === "returnedToken" ? usdt : TRX
      const held = yield* heldOnTron(currency, paid)
      const expected = isReturned(scenario) ? yield* refundedAnywhere(url, quoted) : amount
      assert.strictEqual(`${held}`, expected, what)
      if (currency === TRX) sun += held
      else tokens += held
    }
    // A swept one has two: the TRX that the sweep needs, and the excess.
    assert.lengthOf(sent, begun.length + Number(countOf(begun, "swept")) - Number(countOf(begun, "leaving")))
    const fees = sent.reduce((sum, { fee }) => sum + fee, 0n)
    const after = yield* holdingsOnTron(network)
    assert.deepStrictEqual(after, {
      solver: [before.solver[0] - sun - fees, before.solver[1] - tokens],
      depository: [
        before.depository[0] + countOf(begun, "returned") * SUN,
        before.depository[1] + (countOf(begun, "leaving") + countOf(begun, "returnedToken")) * TOKENS + deposited
      ]
    })
  }
)

/** The sponsor has paid once for each sponsored transfer, and none of its money is held any more. */
export const assertTronSponsored = (url: string, store: string, begun: ReadonlyArray<TronBegun>) =>
  assertSponsored(
    url,
    store,
    begun.flatMap((each) => each._tag === "Ethereum" && each.scenario === "arriving" ? each.quoted : [])
  )

/** Dies after three minutes. */
export const endedOnTron = (url: string, { paid, quoted, scenario }: TronBegun) =>
  endedAnywhere(url, quoted).pipe(Effect.timeoutOrElse({
    duration: "180 seconds",
    orElse: () => Effect.die(new Error(`${scenario} to ${paid} has not ended`))
  }))
