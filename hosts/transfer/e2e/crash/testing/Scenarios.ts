/** Transfers that crash tests begin, and what must be true of each at the end, however often the worker was killed. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { addressOf } from "../../../../localnet/nodes/ethereum/Addresses.ts"
import { addressFor, payTo } from "../../../testing/Addressed.ts"
import { ended, nativeRequest, quote, reader, sendDeposit, status } from "../../../testing/Client.ts"
import type { QuoteAnswer } from "../../../testing/Client.ts"
import { moveMarket } from "../../../testing/MoveMarket.ts"
import { balanceOf, eventually, orderIdOf, sentBy } from "../../../testing/Misbehaving.ts"
import { FLAGGED } from "../../../testing/RevertingCalls.ts"
import { keyOf, ledgerOf } from "../../../testing/Sponsor.ts"
import type { TestSponsor } from "../../../testing/Sponsor.ts"
import { actualOf } from "../../../testing/Sponsored.ts"
import type { TestChains } from "../../../testing/TestChains.ts"
import { ETH, GEM, held, USDC } from "../../../testing/Tokens.ts"
import { calledBy } from "./FlagFirst.ts"
import { assertSweptOnce, untilReturned } from "./SweptOnce.ts"
import type { Paid } from "./SweptOnce.ts"

/**
 * How a transfer should end, who pays its fees, whether its payment is replaced, and whether it is paid by deposit
 * address: exactly the quoted amount at an open one, more at a strict one. `settled` is filled on a network with a hub.
 * `reverted` has calls that a stranger makes revert, and is refunded without their cost. The vault pays when the fill
 * swaps, has a gas topup, or falls back because its swap cannot be made.
 */
export type Scenario =
  | "fill"
  | "refund"
  | "sponsored"
  | "replaced"
  | "address"
  | "excess"
  | "settled"
  | "reverted"
  | VaultScenario

type VaultScenario = "swapped" | "topped" | "fallback"

const ofVault: Readonly<Record<VaultScenario, object>> = {
  swapped: { destinationCurrency: GEM.address },
  topped: { destinationCurrency: USDC.address, topupGas: true },
  fallback: {
    destinationCurrency: GEM.address,
    includedSwapSources: ["uniswap-v2"],
    slippageTolerance: "50",
    useFallbacks: true,
    overridePriceImpact: true
  }
}

export const isVaultScenario = (scenario: Scenario): scenario is VaultScenario => scenario in ofVault

/** Pays the fees of all `sponsored` transfers. */
export const sponsor: TestSponsor = { id: "crash", wallet: toHex(0xc4a5_50, { size: 20 }), balance: 10n ** 12n }

export interface Begun {
  readonly scenario: Scenario
  readonly quoted: QuoteAnswer
  /** The account has no other income, so its balance is what was paid. */
  readonly paid: Hex
  /** Undefined for a transfer whose user names the order. */
  readonly address: Paid | undefined
}

const AMOUNT = 10n ** 16n

/** Sent to a strict address above the quoted amount. */
const EXCESS = 3n * 10n ** 15n

const backOf = (index: number): Hex => toHex(0xbac4_0000_0000n + BigInt(index), { size: 20 })

const fresh = (index: number): Hex => toHex(0xc4a54_0000_0000n + BigInt(index), { size: 20 })

/** At a deposit address. An excess is returned to a separate account. */
const beginAtAddress = Effect.fnUntraced(
  function*(url: string, scenario: "address" | "excess", request: object, paid: Hex, back: Hex) {
    const strict = scenario === "excess"
    const { depositAddress, quoted } = yield* addressFor(url, { ...request, recipient: paid, refundTo: back, strict })
    const excess = strict ? EXCESS : 0n
    return {
      scenario,
      quoted,
      paid,
      address: { at: depositAddress, sent: AMOUNT + excess, excess, back }
    } satisfies Begun
  }
)

/** Requests a transfer from alpha to beta with app fees. One that should be refunded pays another account on alpha. */
export const begin = Effect.fnUntraced(
  function*(url: string, { alpha, beta }: TestChains, key: Hex, scenario: Scenario, index: number) {
    const paid = fresh(index)
    const user = privateKeyToAccount(key).address
    if (scenario === "address" || scenario === "excess") {
      return yield* beginAtAddress(url, scenario, nativeRequest(user, alpha, beta, AMOUNT), paid, backOf(index))
    }
    if (isVaultScenario(scenario)) {
      return {
        scenario,
        quoted: yield* quote(url, nativeRequest(user, alpha, beta, AMOUNT, { ...ofVault[scenario], recipient: paid })),
        paid,
        address: undefined
      } satisfies Begun
    }
    if (scenario === "reverted") yield* beta.setCode(calledBy(index), FLAGGED)
    const filled = { recipient: paid, appFees: [{ recipient: toHex(0xfee, { size: 20 }), fee: "30" }] }
    const changes = {
      fill: filled,
      refund: {
        recipient: toHex(0xdead, { size: 20 }),
        refundTo: paid,
        refundOnOrigin: true,
        referrer: "force-refund"
      },
      reverted: {
        recipient: toHex(0xdead, { size: 20 }),
        refundTo: paid,
        txs: [{ to: calledBy(index), value: "0", data: "0x" }]
      },
      replaced: filled,
      settled: filled,
      sponsored: { ...filled, subsidizeFees: true }
    }
    const headers = scenario === "sponsored" ? keyOf(sponsor) : {}
    return {
      scenario,
      quoted: yield* quote(url, nativeRequest(user, alpha, beta, AMOUNT, changes[scenario]), headers),
      paid,
      address: undefined
    } satisfies Begun
  }
)

/** A price move beyond the tolerance of a swap quoted before, and the account that causes it. */
const MOVED = 60n * 10n ** 18n

/**
 * The user's part: the deposit of the quote, or a plain transfer to its address. For a fallback the market is moved
 * first.
 */
export const pay = Effect.fnUntraced(
  function*({ alpha, beta, users }: TestChains, key: Hex, { address, scenario, quoted }: Begun) {
    if (scenario === "fallback") yield* moveMarket(beta, users.at(-1) ?? "0x", "uniswap-v2", GEM.address, MOVED)
    return yield* address === undefined
      ? sendDeposit(alpha, key, quoted)
      : payTo(alpha, key, address.at, ETH, address.sent)
  }
)

const UNENDED = "180 seconds"

const endOf = (url: string, { scenario, quoted }: Begun) =>
  ended(url, quoted).pipe(Effect.timeoutOrElse({
    duration: UNENDED,
    orElse: () =>
      Effect.flatMap(status(url, quoted), (now) =>
        Effect.die(new Error(`${scenario} ${orderIdOf(quoted)} has not ended: ${JSON.stringify(now)}`)))
  }))

const goesBack = (scenario: Scenario): boolean => scenario === "refund" || scenario === "reverted"

/** The user bears one attempt of the fill, and the refund's own gas: not two attempts, and not none. */
const assertChargedOnce = ({ beta, solver }: TestChains, order: Hex, borne: bigint) =>
  Effect.gen(function*() {
    const [tried, ...others] = (yield* sentBy(beta, solver)).filter(({ input }) => input.endsWith(order.slice(2)))
    assert.isDefined(tried, order)
    assert.deepStrictEqual(others, [], order)
    const { effectiveGasPrice, gasUsed, status } = yield* Effect.promise(() =>
      reader(beta).getTransactionReceipt({ hash: tried.hash })
    )
    assert.strictEqual(status, "reverted", order)
    const cost = effectiveGasPrice * gasUsed
    assert.isTrue(borne >= cost && borne < 2n * cost, `${borne} for ${cost}, ${order}`)
  })

/** The required amount of the payment. A deposit at an address is priced when it is swept, which kills may delay. */
const assertAmount = (
  { address, scenario, quoted }: Begun,
  paid: bigint,
  refunded: string | null | undefined,
  inTime: boolean,
  order: Hex
) => {
  const { amount, minimumAmount } = quoted.details.currencyOut
  if (goesBack(scenario)) assert.strictEqual(`${paid}`, refunded, order)
  else if (inTime && address === undefined) assert.strictEqual(`${paid}`, amount, order)
  else assert.isTrue(paid >= BigInt(minimumAmount) && (address === undefined || paid < address.sent), order)
}

/** By one transaction of the vault, with the quoted amount of each currency. */
const assertVaultPaid = Effect.fnUntraced(
  function*(
    { beta }: TestChains,
    scenario: VaultScenario,
    { paid, quoted }: Begun,
    payments: ReadonlyArray<{ readonly to: string | null; readonly input: string }>
  ) {
    const order = orderIdOf(quoted)
    const own = payments.filter(({ input }) => input.endsWith(order.slice(2)))
    assert.deepStrictEqual(own.map(({ to }) => to), [addressOf("Vault").toLowerCase()], `${scenario} ${order}`)
    const { currencyGasTopup, currencyOut, route: { destination } } = quoted.details
    const [eth, usdc, gem] = yield* Effect.all([ETH, USDC, GEM].map((currency) => held(beta, currency, paid)))
    const [swapped = 0n, most] = [gem, BigInt(currencyOut.amount)]
    // Swaps that wait for one worker are made one after the other, and each moves the market for the next, within the
    // promised limits.
    if (scenario === "swapped") {
      assert.isTrue(swapped >= BigInt(currencyOut.minimumAmount) && swapped <= most, `${swapped} of ${most}, ${order}`)
    }
    const expected = {
      swapped: ["0", "0", `${swapped}`],
      topped: [currencyGasTopup.amount, currencyOut.amount, "0"],
      fallback: [destination.inputCurrency.amount, "0", "0"]
    }
    assert.deepStrictEqual([`${eth}`, `${usdc}`, `${gem}`], expected[scenario], order)
  }
)

/**
 * Each has ended as intended, paid to the unit by exactly one transaction. The solver has sent nothing else, and the
 * operator one sweep for each address. `inTime`: every deposit came while its quote held, so the quoted amount was
 * paid.
 */
export const assertEachOnce = Effect.fnUntraced(
  function*(url: string, chains: TestChains, begun: ReadonlyArray<Begun>, inTime: boolean) {
    const { alpha, beta, operator, solver } = chains
    const ends = yield* Effect.forEach(begun, (each) => endOf(url, each))
    const swept = begun.flatMap(({ address }) => address ?? [])
    yield* Effect.forEach(swept, (each) => untilReturned(alpha, each), { discard: true })
    // Enough time for the sweep and the guards to run again.
    yield* Effect.sleep("3 seconds")
    const onBeta = yield* sentBy(beta, solver)
    const payments = [...(yield* sentBy(alpha, solver)), ...onBeta]
    const tried = begun.filter(({ scenario }) => scenario === "reverted")
    const returned = swept.filter(({ excess }) => excess > 0n)
    const untried = begun.flatMap(({ quoted, scenario }, at) =>
      scenario === "reverted" && !onBeta.some(({ input }) => input.endsWith(orderIdOf(quoted).slice(2)))
        ? [`${orderIdOf(quoted)} was refunded and its fill not tried: ${JSON.stringify(ends[at])}`]
        : []
    )
    assert.deepStrictEqual(untried, [])
    assert.lengthOf(payments, begun.length + tried.length + returned.length)
    const sweeps = [...(yield* sentBy(alpha, operator)), ...(yield* sentBy(beta, operator))]
    assert.lengthOf(sweeps, swept.length)
    for (const [index, each] of begun.entries()) {
      const { address, scenario, paid, quoted } = each
      if (isVaultScenario(scenario)) {
        assert.strictEqual(ends[index]?.status, "success", orderIdOf(quoted))
        yield* assertVaultPaid(chains, scenario, each, payments)
        continue
      }
      const to = payments.filter((payment) => payment.to?.toLowerCase() === paid.toLowerCase())
      const order = address === undefined ? orderIdOf(quoted) : to[0]?.input ?? "0x"
      const end = ends[index]
      assert.strictEqual(end?.status, goesBack(scenario) ? "refund" : "success", order)
      assert.lengthOf(to, 1, order)
      assert.strictEqual(to[0]?.input, order)
      const value = to[0]?.value ?? 0n
      assert.strictEqual(yield* balanceOf(goesBack(scenario) ? alpha : beta, paid), value, order)
      if (scenario === "reverted") yield* assertChargedOnce(chains, order, AMOUNT - value)
      assertAmount(each, value, end?.refunds[0]?.refunded, inTime, order)
      // Of the transactions that name the order, only one paid.
      if (address === undefined) assert.lengthOf(payments.filter(({ input }) => input === order), 1, order)
      else yield* assertSweptOnce(alpha, { payments, sweeps }, order, address)
    }
  }
)

const of = (ledger: Readonly<Record<string, bigint>>, kind: string): bigint =>
  Object.entries(ledger).filter(([account]) => account.startsWith(kind)).reduce((sum, [, units]) => sum + units, 0n)

/** The sponsor has paid once for each of these, at most the quoted amount, and none of its money is held any more. */
export const assertSponsored = Effect.fnUntraced(
  function*(url: string, store: string, sponsored: ReadonlyArray<QuoteAnswer>) {
    if (sponsored.length === 0) return
    const actual = yield* Effect.forEach(
      sponsored,
      (quoted) => eventually("settled", actualOf(url, quoted), (each) => each !== undefined)
    )
    const ledger = yield* ledgerOf(store)
    const paid = actual.reduce((sum, each) => sum + BigInt(each?.sponsorPayment.amount ?? 0), 0n)
    assert.deepStrictEqual([of(ledger, "Hold:"), of(ledger, "Revenue"), of(ledger, `Wallet:${sponsor.wallet}`)], [
      0n,
      paid,
      sponsor.balance - paid
    ])
    assert.strictEqual(of(ledger, "Receivable:"), -of(ledger, "AppFeePending:"))
    assert.isTrue(paid > 0n)
  }
)

export const assertSponsoredOnce = (url: string, store: string, begun: ReadonlyArray<Begun>) =>
  assertSponsored(url, store, begun.flatMap(({ scenario, quoted }) => scenario === "sponsored" ? quoted : []))

/** Each is minted and given to the solver on the hub, by one execution each, however often it was submitted. */
export const assertSettledOnce = Effect.fnUntraced(
  function*(executions: Effect.Effect<ReadonlyArray<string>>, begun: ReadonlyArray<Begun>) {
    const keys = yield* eventually("all are settled", executions, (found) => found.length >= 2 * begun.length)
    assert.strictEqual(new Set(keys).size, keys.length)
    assert.lengthOf(keys, 2 * begun.length)
  }
)
