/**
 * The message that the user signs instead of sending a transaction: the EIP-712 typed data of each kind, and its digest
 * (STEP-8, STEP-10).
 *
 * Numbers are decimal strings, as wallets expect. Pure, and total except for accounts that are not EVM accounts.
 */
import * as Result from "effect/Result"
import type { Address, InvalidAddress } from "../chain/Address.ts"
import type { ChainId } from "../chain/ChainId.ts"
import type { Hex32 } from "../encoding/Hex.ts"
import type { PermitTerms } from "./Permit.ts"
import { permitSpender } from "./PermitSpender.ts"
import type { Permitted } from "./PermitSpender.ts"
import { typedDataDigest } from "./TypedData.ts"
import type { Member, TypedData } from "./TypedData.ts"

/** As shown in a signature item of a quote. */
export type PermitMessage = TypedData

/** A permit's terms, with the deposit that it is for. */
export interface PermitParts extends Omit<Permitted, "deadline"> {
  readonly chainId: ChainId
  readonly terms: PermitTerms
}

const members = (text: string): ReadonlyArray<Member> =>
  text.split(",").map((member) => {
    const [type = "", name = ""] = member.split(" ")
    return { name, type }
  })

const receiveTypes = {
  ReceiveWithAuthorization: members(
    "address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce"
  )
}
const permitTypes = { Permit: members("address owner,address spender,uint256 value,uint256 nonce,uint256 deadline") }
const witnessTypes = {
  PermitWitnessTransferFrom: members(
    "TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,Deposit witness"
  ),
  TokenPermissions: members("address token,uint256 amount"),
  Deposit: members("bytes32 orderId")
}

/** The deposited token, as an account. */
const bodyOf = (
  { amount, orderId, owner, terms, token }: PermitParts
): Result.Result<Omit<PermitMessage, "domain">, InvalidAddress> => {
  const { deadline, forwarder, kind, nonce = 0n } = terms
  const [value, until] = [amount.toString(), deadline.toString()]
  switch (kind) {
    case "eip3009":
      return Result.succeed({
        types: receiveTypes,
        primaryType: "ReceiveWithAuthorization",
        value: { from: owner, to: forwarder, value, validAfter: "0", validBefore: until, nonce: orderId }
      })
    case "eip2612":
      return Result.map(permitSpender(forwarder, { owner, token, amount, orderId, deadline }), (spender: Address) => ({
        types: permitTypes,
        primaryType: "Permit",
        value: { owner, spender, value, nonce: nonce.toString(), deadline: until }
      }))
    case "permit2":
      return Result.succeed({
        types: witnessTypes,
        primaryType: "PermitWitnessTransferFrom",
        value: {
          permitted: { token, amount: value },
          spender: forwarder,
          nonce: BigInt(orderId).toString(),
          deadline: until,
          witness: { orderId }
        }
      })
  }
}

export const permitMessage = (parts: PermitParts): Result.Result<PermitMessage, InvalidAddress> =>
  Result.map(bodyOf(parts), (body) => ({
    domain: { ...parts.terms.domain, chainId: parts.chainId, verifyingContract: parts.terms.verifier },
    ...body
  }))

/** The 32 bytes that a wallet signs for it. */
export const permitDigest = (message: PermitMessage): Hex32 => typedDataDigest(message)
