/**
 * The ways of the matrix, known before anything runs, so that each is a test of its own: for every ordered pair of
 * different families native currency for native currency and a token for a token, within a family what it has, a refund
 * on every origin, and two payments to a deposit address on each.
 */
import type { FamilyName } from "../../../../src/domain/chain/VmFamily.ts"
import type { MatrixCurrency, MatrixFamily } from "./MatrixFamily.ts"
import type { StartedFamily } from "./StartMatrix.ts"
import type { Way } from "./Way.ts"

export interface PlannedWay extends Pick<Way, "amount" | "byAddress" | "ends" | "paid" | "received"> {
  readonly from: FamilyName
  readonly to: FamilyName
  /** Whether it ends on the family's second chain. */
  readonly toSecond: boolean
}

type Unpriced = Omit<PlannedWay, "amount">

const pair = (one: MatrixFamily, other: MatrixFamily): ReadonlyArray<Unpriced> => {
  const way = (paid: MatrixCurrency, received: MatrixCurrency): Unpriced => ({
    from: one.name,
    to: other.name,
    paid,
    received,
    ends: "fill",
    toSecond: false
  })
  const token = one.token ?? other.token
  return [
    way(one.native, other.native),
    ...(token === undefined ? [] : [way(one.token ?? one.native, other.token ?? other.native)])
  ]
}

const within = (of: MatrixFamily, canSend: boolean): ReadonlyArray<Unpriced> => {
  const { hasSecondChain, name, native, swapped, token } = of
  const way = (ends: Way["ends"], received: MatrixCurrency, toSecond = false): Unpriced => ({
    from: name,
    to: name,
    paid: native,
    received,
    ends,
    toSecond
  })
  return [
    ...(canSend ? [way("send", native)] : []),
    ...(hasSecondChain ? [way("fill", native, true)] : []),
    // Without swaps the solver exchanges what it holds.
    ...(swapped === undefined ? token === undefined ? [] : [way("fill", token)] : [way("swap", swapped)])
  ]
}

/** Keeps the amounts different, so that one deposit is not taken for another. A multiple of what any chain can move. */
const STEP = 100n

/** `canSend`: whether payments of a user to itself or others are found on the family's chains. */
export const waysOf = (
  families: ReadonlyArray<MatrixFamily>,
  canSend: (family: FamilyName) => boolean
): ReadonlyArray<PlannedWay> => {
  const [first] = families
  const pairs = families.flatMap((one) =>
    families.flatMap((other) => one.name === other.name ? within(one, canSend(one.name)) : pair(one, other))
  )
  const refunds = families.flatMap((one): ReadonlyArray<Unpriced> => {
    const other = one === first ? families[1] : first
    return other === undefined
      ? []
      : [{ from: one.name, to: other.name, paid: one.native, received: other.native, ends: "refund", toSecond: false }]
  })
  const addressed = families.filter(({ hasAddresses }) => hasAddresses).flatMap((one): ReadonlyArray<Unpriced> =>
    families.filter(({ name }) => name !== one.name).slice(0, 2).map(({ name, native, token }, index) => ({
      from: one.name,
      to: name,
      paid: one.native,
      received: index === 0 ? token ?? native : native,
      ends: "fill",
      toSecond: false,
      byAddress: true
    }))
  )
  return [...pairs, ...refunds, ...addressed].map((way, index) => ({
    ...way,
    amount: way.paid.some + STEP * BigInt(index)
  }))
}

/** What a way shows, in the words of the page. */
export const labelOf = ({ byAddress, ends, paid, received, toSecond }: Omit<PlannedWay, "amount">): string => {
  switch (ends) {
    case "fill":
      return `${paid.symbol} → ${received.symbol}${toSecond ? " on a second chain" : ""}${
        byAddress === true ? " by deposit address" : ""
      }`
    case "send":
      return `${paid.symbol} sent`
    case "swap":
      return `${paid.symbol} swapped for ${received.symbol}`
    case "refund":
      return `${paid.symbol} refunded`
  }
}

export const nameOf = (way: PlannedWay): string => `${way.from} → ${way.to}: ${labelOf(way)}`

/** The same over running chains. */
export const wayOver = (families: ReadonlyArray<StartedFamily>, { from, to, toSecond, ...way }: PlannedWay): Way => {
  const started = (name: FamilyName): StartedFamily => {
    const found = families.find((each) => each.name === name)
    if (found === undefined) throw new Error(`${name} has no network`)
    return found
  }
  const { chain, second } = started(to)
  return { ...way, from: started(from).chain, to: toSecond ? second ?? chain : chain }
}
