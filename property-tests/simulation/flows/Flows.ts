/**
 * What a quote of a simulated user asks for beside the transfer itself. Each run uses those that are switched on, and
 * the dice of a transfer decide which of them it has.
 */
import type { Dice } from "../Dice.ts"
import { bitcoin, tron, tronUsdt } from "../Terms.ts"

/** Each with what it is. */
export const flowMeanings = {
  sponsored: "the sponsor behind an API key pays fees, all or some, sometimes up to a cap",
  "app-fees": "one or two recipients get a share of the deposit",
  sends: "a user pays another account of its chain itself, and the service only watches",
  addresses: "a user gets a deposit address, open or strict, and pays there",
  "coin-addresses": "the same of a user who pays from Bitcoin",
  "tron-addresses": "the same of a user who pays from Tron, TRX or USDT"
} as const

export type Flow = keyof typeof flowMeanings
const isFlow = (name: string): name is Flow => Object.hasOwn(flowMeanings, name)
export const flowNames: ReadonlyArray<Flow> = Object.keys(flowMeanings).filter(isFlow)

/** Reads `--flows`: all, none, or names separated by commas. Undefined when a name is unknown. */
export const parseFlows = (text: string): ReadonlySet<Flow> | undefined => {
  if (text === "none") return new Set()
  if (text === "all") return new Set(flowNames)
  const names = text.split(",")
  return names.every(isFlow) ? new Set(names) : undefined
}

/** Who gets app fees: they are claimed on the settlement chain's EVM accounts. */
const appFeeRecipients = [`0x${"a1".repeat(20)}`, `0x${"a2".repeat(20)}`] as const

const SHARE = 0.4
/** Of quotes from Bitcoin and from Tron. */
const OTHER_SHARE = 0.6

/** The kinds of deposit addresses. */
type AddressMode = "open" | "strict"

export interface DrawnFlows {
  /** Undefined for a quote without a deposit address. */
  readonly address: AddressMode | undefined
  /** The same of a quote from Bitcoin or Tron. */
  readonly otherAddress: AddressMode | undefined
  readonly isSend: boolean
  readonly isSponsored: boolean
  /** The most that the sponsor may pay, micro-USDC. Undefined without a cap of the request's own. */
  readonly cap: bigint | undefined
  /** Basis points of the deposit. */
  readonly appBps: bigint
  /** Parameters of the quote. */
  readonly parameters: object
}

/** Which flow gives a currency's quotes deposit addresses, and the name of its dice. Nobody sweeps what ODD keeps a part of. */
const addressFlowOf = (currency: string): readonly [Flow, string] | undefined => {
  if (currency === bitcoin) return ["coin-addresses", "coin address"]
  return currency === tron || currency === tronUsdt ? ["tron-addresses", "tron address"] : undefined
}

/** Has dice of its own: runs without it stay as they were. */
const drawOtherAddress = (dice: Dice, on: ReadonlySet<Flow>, currency: string): AddressMode | undefined => {
  const [flow, name] = addressFlowOf(currency) ?? []
  if (flow === undefined || name === undefined || !on.has(flow)) return undefined
  const own = dice.of(name)
  return own.chance(OTHER_SHARE) ? own.pick<AddressMode>(["open", "open", "strict"]) : undefined
}

/** `currency`: what the quote is paid in. */
export const drawFlows = (dice: Dice, on: ReadonlySet<Flow>, currency: string): DrawnFlows => {
  const isSend = on.has("sends") && dice.chance(SHARE / 2)
  const isSponsored = on.has("sponsored") && !isSend && dice.chance(SHARE)
  const cap = isSponsored && dice.chance(0.3) ? BigInt(dice.between(0, 20_000)) : undefined
  const components = dice.pick([undefined, undefined, ["execution"], ["execution", "app"]] as const)
  const appFees = on.has("app-fees") && !isSend && dice.chance(SHARE)
    ? appFeeRecipients.slice(0, dice.between(1, 2)).map((recipient) => ({ recipient, fee: `${dice.between(0, 80)}` }))
    : []
  const address = on.has("addresses") && !isSend && dice.chance(SHARE)
    ? dice.pick<AddressMode>(["open", "open", "strict"])
    : undefined
  const otherAddress = drawOtherAddress(dice, on, currency)
  const isAddressed = address !== undefined || otherAddress !== undefined
  return {
    address,
    otherAddress,
    isSend,
    isSponsored,
    cap,
    appBps: appFees.reduce((sum, { fee }) => sum + BigInt(fee), 0n),
    parameters: {
      ...(isSponsored ? { subsidizeFees: true } : {}),
      ...(cap === undefined ? {} : { maxSubsidizationAmount: `${cap}` }),
      ...(isSponsored && components !== undefined && !isAddressed
        ? { sponsoredFeeComponents: components }
        : {}),
      ...(appFees.length === 0 ? {} : { appFees })
    }
  }
}
