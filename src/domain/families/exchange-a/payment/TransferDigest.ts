/**
 * What the account signs of a transfer on exchange A: EIP-712 in the exchange's own domain (EXCHANGEA-20). Its struct
 * hash is that of a withdrawal, which is the same action.
 */
import { concatBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import { hexToBytes } from "../../../encoding/Hex.ts"
import { hashWords, keccak, keccakText, word } from "../../../encoding/StructHash.ts"
import type { InvalidWithdrawal } from "../../../hub/withdrawal/InvalidWithdrawal.ts"
import { exchangeAWithdrawalId } from "../ExchangeAWithdrawal.ts"
import type { SendAsset } from "../ExchangeAWithdrawal.ts"

/** The EIP-155 number in the domain. The exchange takes any; this is the one of its own documentation. */
export const SIGNATURE_CHAIN = 42_161

const domain = hashWords([
  keccakText("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
  keccakText("HyperliquidSignTransaction"),
  keccakText("1"),
  word(BigInt(SIGNATURE_CHAIN)),
  word(0n)
])

const prefix = Uint8Array.of(0x19, 0x01)

/** 32 bytes. Fails when the nonce does not fit its 64 bits. */
export const transferDigest = (transfer: SendAsset): Result.Result<Uint8Array, InvalidWithdrawal> =>
  Result.map(exchangeAWithdrawalId(transfer), (id) => keccak(concatBytes(prefix, domain, hexToBytes(id))))
