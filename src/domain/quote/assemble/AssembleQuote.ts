/** Puts a priced request into the exact wire shape of the contract (QUOTE-1). Computes nothing that moves money. */
import type { PricedCurrency } from "../../money/Currency.ts"
import { assembleDetails } from "./AssembleDetails.ts"
import type { DetailParts } from "./AssembleDetails.ts"
import { assembleSponsorship } from "./AssembleSponsorship.ts"
import { relayerFee } from "../pricing/Fees.ts"
import type { Quote, WireProtocol } from "../wire/Quote.ts"
import type { Step } from "../wire/Step.ts"
import { wireAmount } from "../wire/WireAmount.ts"

/** The input of a quote's answer. */
export interface QuoteParts extends DetailParts {
  readonly originNative: PricedCurrency
  /** What the steps cost the user's own wallet, smallest units of the origin's native currency. */
  readonly originGas: bigint
  /** The cap as the request sent it, micro-USDC. */
  readonly cap?: bigint | undefined
  readonly steps: ReadonlyArray<Step>
  readonly protocol: WireProtocol | undefined
}

/** The answer to `POST /quote`, from a priced order. Pure: no amount is computed here. */
export const assembleQuote = (parts: QuoteParts): Quote => {
  const { cap, origin, originGas, originNative, priced, protocol, serviceName, steps } = parts
  const { fees, split } = priced
  const relayer = relayerFee(fees)
  return {
    steps,
    fees: {
      gas: wireAmount(originNative, originGas),
      relayer: wireAmount(origin, relayer),
      relayerGas: wireAmount(origin, fees.relayerGas),
      relayerService: wireAmount(origin, relayer - fees.relayerGas),
      app: wireAmount(origin, fees.app),
      subsidized: wireAmount(origin, split?.sponsoredTotal ?? 0n)
    },
    ...(split === undefined
      ? {}
      : { feeSponsorship: { quoted: assembleSponsorship(split, origin, { serviceName, cap }) } }),
    details: assembleDetails(parts),
    ...(protocol === undefined ? {} : { protocol })
  }
}
