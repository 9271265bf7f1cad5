/**
 * Who paid which fee. With a sponsor: the five components, each split between sender and sponsor. Without one: the
 * network's part, the service's and the app's, all paid by the sender.
 *
 * Guarantee: for every part and for the sums, sender + sponsor = total, exactly; and the sums are those of the parts.
 */
import { isServiceName } from "../sponsorship/Component.ts"
import type { QuotedSponsorship } from "../quote/wire/FeeSponsorship.ts"
import type { WireAmount } from "../quote/wire/WireAmount.ts"
import type { TimelineAmount, TimelineFee, TimelineFees } from "./RequestTimeline.ts"
import { quotedAmount, sumOf } from "./TimelineMoney.ts"
import { filledDepositOf, fillOf } from "./TimelineRecord.ts"
import type { TimelineSource } from "./TimelineRecord.ts"

const abouts: Readonly<Record<string, readonly [name: string, about: string]>> = {
  execution: ["Network", "gas of the payment, and what sending it costs"],
  swap: ["Exchange", "between the two currencies"],
  app: ["App", "of the app that asked for the transfer"],
  rent: ["Account", "opening the recipient's token account"]
}

const serviceAbout = ["Service", "what this service takes"] as const

const sponsored = ({ components }: QuotedSponsorship): ReadonlyArray<TimelineFee> =>
  Object.entries(components).map(([component, { sponsored, total, userPays }]) => {
    const [name, about] = isServiceName(component) ? serviceAbout : abouts[component] ?? [component, ""]
    return { name, about, total: quotedAmount(total), sender: quotedAmount(userPays), sponsor: quotedAmount(sponsored) }
  })

const none = (like: WireAmount): TimelineAmount => sumOf(like, [])

const unsponsored = (
  { transfer: { quote: { fees: { app, relayerGas, relayerService } } } }: TimelineSource
): ReadonlyArray<TimelineFee> => {
  const part = (name: string, about: string, amount: WireAmount): TimelineFee => ({
    name,
    about,
    total: quotedAmount(amount),
    sender: quotedAmount(amount),
    sponsor: none(amount)
  })
  return [
    part("Network", "gas of the payment", relayerGas),
    part("Service", "of this service, with the exchange between the two currencies", relayerService),
    part("App", "of the app that asked for the transfer", app)
  ]
}

/** True when the payment equals the quoted one, to the unit. */
const isAsQuoted = (told: TimelineSource): boolean => {
  const { amountIn, amountOut, send } = told.transfer.terms
  return send === true || (fillOf(told)?.amount === amountOut && filledDepositOf(told)?.amount === amountIn)
}

const noteOf = (told: TimelineSource): Pick<TimelineFees, "basis" | "note"> => {
  const { feeSponsorship, transfer: { status } } = told
  if (status === "refund" || status === "failure") {
    return { basis: "none", note: "None were charged: nothing was delivered." }
  }
  if (status !== "success") return { basis: "quoted", note: "As quoted. They are part of the amounts above." }
  if (feeSponsorship?.actual !== undefined) {
    return { basis: "actual", note: "What they really were, once the payment was final." }
  }
  return isAsQuoted(told)
    ? { basis: "quoted", note: "As quoted, and so it was carried out." }
    : { basis: "quoted", note: "As quoted. The deposit was priced anew when it came, and the fees with it." }
}

const isSomething = ({ units }: TimelineAmount): boolean => units !== "0"

export const buildFees = (told: TimelineSource): TimelineFees => {
  const { feeSponsorship, transfer: { quote: { fees } } } = told
  const all = feeSponsorship === undefined
    ? unsponsored(told)
    : sponsored(feeSponsorship.actual ?? feeSponsorship.quoted)
  const parts = all.filter(({ sender, sponsor, total }) => [sender, sponsor, total].some(isSomething))
  // After a swap before the deposit, the real fees are in the deposit's currency.
  const like = feeSponsorship?.actual?.sponsoredTotal ?? fees.relayer
  const sum = (of: (part: TimelineFee) => TimelineAmount) => sumOf(like, parts.map(of))
  const wallet = quotedAmount(fees.gas)
  return {
    ...noteOf(told),
    parts,
    total: sum(({ total }) => total),
    sender: sum(({ sender }) => sender),
    sponsor: sum(({ sponsor }) => sponsor),
    wallet: isSomething(wallet) ? wallet : null
  }
}
