/**
 * A user-signed action of exchange A, and the account that its EIP-712 signature recovers to. The signature alone
 * identifies the sender.
 *
 * Real: the typed data, domain and signature of the unmodified SDK. Only usdSend, sendAsset and userSetAbstraction are
 * supported.
 */
import { Schema } from "effect"
import { recoverTypedDataAddress } from "viem"
import { viemHex } from "../../../../../adapters/ethereum/rpc/ViemHex.ts"
import type { AccountMode } from "../../../../../src/domain/families/exchange-a/payment/AccountMode.ts"
import { USDC } from "./Token.ts"

export interface SignedTransfer {
  readonly _tag?: undefined
  readonly signer: string
  readonly nonce: string
  readonly destination: string
  readonly from: string
  readonly to: string
  /** NAME:0x… */
  readonly token: string
  readonly amount: string
  /** As it was sent. */
  readonly shown: object
}

/** An account's mode, set by its owner. */
export interface SignedMode {
  readonly _tag: "Mode"
  readonly signer: string
  readonly nonce: string
  readonly user: string
  readonly mode: AccountMode
  readonly shown: object
}

export type SignedAction = SignedTransfer | SignedMode

const shared = {
  signatureChainId: Schema.String,
  hyperliquidChain: Schema.Literals(["Mainnet", "Testnet"]),
  destination: Schema.String,
  amount: Schema.String
}
const UsdSend = Schema.Struct({ type: Schema.Literal("usdSend"), ...shared, time: Schema.Int })
const SendAsset = Schema.Struct({
  type: Schema.Literal("sendAsset"),
  ...shared,
  sourceDex: Schema.String,
  destinationDex: Schema.String,
  token: Schema.String,
  fromSubAccount: Schema.String,
  nonce: Schema.Int
})
const SetAbstraction = Schema.Struct({
  type: Schema.Literal("userSetAbstraction"),
  signatureChainId: Schema.String,
  hyperliquidChain: Schema.Literals(["Mainnet", "Testnet"]),
  user: Schema.String,
  abstraction: Schema.Literals(["disabled", "unifiedAccount", "portfolioMargin"]),
  nonce: Schema.Int
})
const Request = Schema.Struct({
  action: Schema.Union([UsdSend, SendAsset, SetAbstraction]),
  nonce: Schema.Int,
  signature: Schema.Struct({ r: Schema.String, s: Schema.String, v: Schema.Int })
})
const decode = Schema.decodeUnknownSync(Request)

const chain = { name: "hyperliquidChain", type: "string" } as const
const [destination, amount] = [{ name: "destination", type: "string" }, { name: "amount", type: "string" }] as const
const usdSend = {
  "HyperliquidTransaction:UsdSend": [chain, destination, amount, { name: "time", type: "uint64" }]
} as const
const sendAsset = {
  "HyperliquidTransaction:SendAsset": [
    chain,
    destination,
    { name: "sourceDex", type: "string" },
    { name: "destinationDex", type: "string" },
    { name: "token", type: "string" },
    amount,
    { name: "fromSubAccount", type: "string" },
    { name: "nonce", type: "uint64" }
  ]
} as const

const setAbstraction = {
  "HyperliquidTransaction:UserSetAbstraction": [
    chain,
    { name: "user", type: "address" },
    { name: "abstraction", type: "string" },
    { name: "nonce", type: "uint64" }
  ]
} as const

const asSignature = (v: number, r: string, s: string) =>
  viemHex(`0x${r.slice(2).padStart(64, "0")}${s.slice(2).padStart(64, "0")}${v.toString(16).padStart(2, "0")}`)

const domainOf = (signatureChainId: string) => ({
  name: "HyperliquidSignTransaction",
  version: "1",
  chainId: Number(signatureChainId),
  verifyingContract: "0x0000000000000000000000000000000000000000"
} as const)

/** Reads a body of /exchange. Rejects anything else. `network`: the network of this exchange. */
export const readSignedAction = async (body: unknown, network: "Mainnet" | "Testnet"): Promise<SignedAction> => {
  const { action, nonce, signature: { r, s, v } } = decode(body)
  if (action.hyperliquidChain !== network) throw new Error("the action is of another network")
  const signature = asSignature(v, r, s)
  const domain = domainOf(action.signatureChainId)
  const shown = typeof body === "object" && body !== null && "action" in body && typeof body.action === "object" &&
      body.action !== null
    ? body.action
    : {}
  if (action.type === "usdSend") {
    if (action.time !== nonce) throw new Error("nonce and time differ")
    const signer = await recoverTypedDataAddress({
      domain,
      types: usdSend,
      primaryType: "HyperliquidTransaction:UsdSend",
      message: { ...action, time: BigInt(nonce) },
      signature
    })
    return {
      signer: signer.toLowerCase(),
      nonce: `${nonce}`,
      destination: action.destination,
      from: "",
      to: "",
      token: `${USDC.name}:${USDC.tokenId}`,
      amount: action.amount,
      shown
    }
  }
  if (action.nonce !== nonce) throw new Error("nonces differ")
  if (action.type === "userSetAbstraction") {
    const { abstraction: mode, user } = action
    const signer = await recoverTypedDataAddress({
      domain,
      types: setAbstraction,
      primaryType: "HyperliquidTransaction:UserSetAbstraction",
      message: { ...action, user: viemHex(user), nonce: BigInt(nonce) },
      signature
    })
    return { _tag: "Mode", signer: signer.toLowerCase(), nonce: `${nonce}`, user: user.toLowerCase(), mode, shown }
  }
  const signer = await recoverTypedDataAddress({
    domain,
    types: sendAsset,
    primaryType: "HyperliquidTransaction:SendAsset",
    message: { ...action, nonce: BigInt(nonce) },
    signature
  })
  const { amount: sent, destination: to, destinationDex, sourceDex, token } = action
  return {
    signer: signer.toLowerCase(),
    nonce: `${nonce}`,
    destination: to,
    from: sourceDex,
    to: destinationDex,
    token,
    amount: sent,
    shown
  }
}
