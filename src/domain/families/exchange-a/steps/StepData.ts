/**
 * What a wallet of exchange A is asked to sign (EXCHANGEA-8, STEP-13): the mapping of a nonce to the order, and the
 * transfer with that nonce. The service builds them, and the client builds them again to compare. Pure.
 */
import type { Address } from "../../../chain/Address.ts"
import type { Chain } from "../../../chain/Chain.ts"
import type { Currency } from "../../../money/Currency.ts"
import type { OrderId } from "../../../order/Order.ts"
import type { SignatureData } from "../../../quote/wire/SignatureData.ts"
import type { ExchangeATransactionData } from "../ExchangeATransactionData.ts"
import { writeDecimal } from "../DecimalAmount.ts"
import { assetOf } from "../payment/Asset.ts"

/**
 * The EVM chain under whose number the mapping is to be signed. A wallet on another chain signs under its own, and says
 * so in the body (EXCHANGEA-4).
 */
const SIGNED_ON = 42_161

const ZERO = "0x0000000000000000000000000000000000000000"

const mappingTypes = {
  NonceMapping: [
    { name: "chainId", type: "string" },
    { name: "wallet", type: "address" },
    { name: "depositor", type: "address" },
    { name: "id", type: "bytes32" },
    { name: "nonce", type: "uint256" }
  ]
}

const PRIMARY_TYPE = "HyperliquidTransaction:SendAsset"

const sendTypes = {
  [PRIMARY_TYPE]: [
    { name: "hyperliquidChain", type: "string" },
    { name: "destination", type: "string" },
    { name: "sourceDex", type: "string" },
    { name: "destinationDex", type: "string" },
    { name: "token", type: "string" },
    { name: "amount", type: "string" },
    { name: "fromSubAccount", type: "string" },
    { name: "nonce", type: "uint64" }
  ]
}

/** Posted to `/authorize`. `nonce`: milliseconds, the transfer's. */
export const mappingData = (
  { slug }: Pick<Chain, "slug">,
  wallet: Address,
  id: OrderId,
  nonce: number
): SignatureData => ({
  sign: {
    signatureKind: "eip712",
    domain: { name: "RelayNonceMapping", version: "2", chainId: SIGNED_ON, verifyingContract: ZERO },
    types: mappingTypes,
    primaryType: "NonceMapping",
    value: { chainId: slug, wallet, depositor: wallet, id, nonce }
  },
  post: {
    endpoint: "/authorize",
    method: "POST",
    body: {
      type: "nonce-mapping",
      walletChainId: slug,
      wallet,
      depositor: wallet,
      nonce,
      id,
      signatureChainId: SIGNED_ON
    }
  }
})

/** What one user pays. */
export interface ExchangeAPayment {
  readonly currency: Pick<Currency, "address" | "decimals">
  /** Smallest units. */
  readonly amount: bigint
  /** Where the user's mode keeps it (EXCHANGEA-36). Unless given, on the dex of the currency. */
  readonly sourceDex?: string
  /** The token's name on the exchange. It is not part of the currency. */
  readonly tokenName: string
  /** Milliseconds. */
  readonly nonce: number
}

/** The transfer to the depository or to a deposit address, to the dex of the currency. */
export const transferData = (
  { network }: Pick<Chain, "network">,
  payee: Address,
  { amount, currency: { address, decimals }, nonce, sourceDex, tokenName }: ExchangeAPayment
): ExchangeATransactionData => {
  const { dex, tokenId } = assetOf(address)
  return {
    action: {
      type: "sendAsset",
      parameters: {
        hyperliquidChain: network === "mainnet" ? "Mainnet" : "Testnet",
        destination: payee,
        sourceDex: sourceDex ?? dex,
        destinationDex: dex,
        token: `${tokenName}:${tokenId}`,
        amount: writeDecimal(amount, decimals),
        fromSubAccount: "",
        nonce
      }
    },
    nonce,
    eip712Types: sendTypes,
    eip712PrimaryType: PRIMARY_TYPE
  }
}
