/**
 * What a wallet signs to have app fees or unspent balance paid out (BALANCE-4), by EIP-712.
 *
 * The domain names the settlement chain and the solver, so a signature is valid for one service only. The two kinds are
 * separate types, so a claim cannot be used as a withdrawal. The digest is the payout's id: a signed request is one
 * payout, however often it is sent. SECURITY: never 32 raw bytes, and the signing wallet shows every member.
 */
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Address, InvalidAddress } from "../chain/Address.ts"
import { protocolAccounts } from "../chain/ProtocolAccounts.ts"
import type { ChainId } from "../chain/ChainId.ts"
import { type Hex32, hex32FromDigest } from "../encoding/Hex.ts"
import { hashWords, keccak, keccakText, word, wordOf } from "../encoding/StructHash.ts"
import type { LedgerCurrency } from "./Transaction.ts"

/** App fees of a recipient, or app balance of a sponsor. */
export const PayoutKind = Schema.Literals(["claim", "withdraw"])
export type PayoutKind = typeof PayoutKind.Type

/** The requested payout, and the wallet that asks for it. */
export interface PayoutRequest {
  readonly kind: PayoutKind
  readonly wallet: Address
  /** An account of the settlement chain. */
  readonly recipient: Address
  /** The currency that the ledger is debited in. */
  readonly currency: LedgerCurrency
  /** Smallest units of the currency. */
  readonly amount: bigint
  /** The wallet's own number of this payout, used once per kind. */
  readonly nonce: bigint
  /** Seconds since 1970. Not accepted later. */
  readonly deadline: number
}

/** The service that a signature is for. */
export interface PayoutDomain {
  /** The settlement chain. */
  readonly chainId: ChainId
  readonly solver: Address
}

/** The EIP-712 name and version of the service. */
export const payoutDomainName = { name: "Causeway", version: "1" } as const

/** The EIP-712 type of each kind. */
export const payoutTypes: Readonly<Record<PayoutKind, string>> = {
  claim: "ClaimAppFees",
  withdraw: "WithdrawAppBalance"
}

const members =
  "(address wallet,address recipient,uint256 currencyChainId,string currency,uint256 amount,uint256 nonce,uint256 deadline)"

const domainType = keccakText("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")

/** The digest that a wallet signs for a request of an EIP-712 type. Fails for accounts that are not EVM accounts. */
export const signedDigest = (
  type: string,
  { chainId, solver }: PayoutDomain,
  request: Omit<PayoutRequest, "kind">
): Result.Result<Hex32, InvalidAddress> =>
  Result.gen(function*() {
    const account = (address: Address) => Result.map(protocolAccounts.toBytes(address), wordOf)
    const { amount, currency, deadline, nonce } = request
    const domain = hashWords([
      domainType,
      keccakText(payoutDomainName.name),
      keccakText(payoutDomainName.version),
      word(BigInt(chainId)),
      yield* account(solver)
    ])
    const struct = hashWords([
      keccakText(`${type}${members}`),
      yield* account(request.wallet),
      yield* account(request.recipient),
      word(BigInt(currency.chainId)),
      keccak(utf8ToBytes(currency.address)),
      word(amount),
      word(nonce),
      word(BigInt(deadline))
    ])
    return hex32FromDigest(keccak(concatBytes(Uint8Array.of(0x19, 0x01), domain, struct)))
  })

/** The digest that the wallet signs, which is the payout's id. Fails for accounts that are not EVM accounts. */
export const payoutId = (domain: PayoutDomain, request: PayoutRequest): Result.Result<Hex32, InvalidAddress> =>
  signedDigest(payoutTypes[request.kind], domain, request)
