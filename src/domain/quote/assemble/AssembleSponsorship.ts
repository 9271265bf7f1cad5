/** A split of the fees in the wire shape of feeSponsorship (QUOTE-5): every component, with both payers' shares. */
import type { PricedCurrency } from "../../money/Currency.ts"
import { componentName, components } from "../../sponsorship/Component.ts"
import type { Split } from "../../sponsorship/Split.ts"
import type { QuotedSponsorship } from "../wire/FeeSponsorship.ts"
import { wireAmount } from "../wire/WireAmount.ts"

/** What `feeSponsorship` repeats from the configuration and the request (QUOTE-5). */
export interface SponsorshipNames {
  /** The wire name of the service component (SERVICE_COMPONENT_NAME). */
  readonly serviceName: string
  /** The cap as the request sent it, micro-USDC; undefined when it sent none. */
  readonly cap: bigint | undefined
}

export const assembleSponsorship = (
  split: Split,
  origin: PricedCurrency,
  { cap, serviceName }: SponsorshipNames
): QuotedSponsorship => ({
  selectedComponents: split.selectedComponents.map((component) => componentName(component, serviceName)),
  capHit: split.capHit,
  components: Object.fromEntries(components.map((component) => {
    const { selected, sponsored, total, userPays } = split.components[component]
    return [componentName(component, serviceName), {
      selected,
      total: wireAmount(origin, total),
      sponsored: wireAmount(origin, sponsored),
      userPays: wireAmount(origin, userPays)
    }]
  })),
  sponsoredTotal: wireAmount(origin, split.sponsoredTotal),
  userPaysTotal: wireAmount(origin, split.userPaysTotal),
  ...(cap === undefined ? {} : { maxSubsidizationAmount: cap.toString() })
})
