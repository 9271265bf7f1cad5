/**
 * The call request of the depository contract, shared by ethereum-vm and tron-vm (EVM-6).
 *
 * On the wire: abi of one tuple ((address to,bytes data,uint256 value,bool allowFailure)[] calls, uint256 nonce,uint256
 * expiration). Its EIP-712 struct hash is the withdrawal's id and the key in the contract's `callRequests`. Accounts
 * have EVM spelling in both families.
 */
import { hexToBytes as digitsToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import {
  abiAddress,
  abiArray,
  abiBool,
  abiBytes,
  abiTuple,
  abiUint,
  decodeAbi,
  encodeAbi,
  type InvalidAbi
} from "../../encoding/Abi.ts"
import type { Address } from "../../chain/Address.ts"
import { type Hex, type Hex32, hex32FromDigest, hexFromBytes, hexToBytes } from "../../encoding/Hex.ts"
import { hashWords, keccak, keccakText, word, wordOf } from "../../encoding/StructHash.ts"

/** One call of a request (EVM-6). `value` in wei. */
export interface Call {
  readonly to: Address
  readonly data: Hex
  readonly value: bigint
  readonly allowFailure: boolean
}

export interface CallRequest {
  readonly calls: ReadonlyArray<Call>
  readonly nonce: bigint
  /** Seconds since 1970. */
  readonly expiration: bigint
}

const callShape = abiTuple({ to: abiAddress, data: abiBytes, value: abiUint(256), allowFailure: abiBool })
/** The tuple itself, which also occurs in a call's arguments. */
export const callRequestShape = abiTuple({ calls: abiArray(callShape), nonce: abiUint(256), expiration: abiUint(256) })
const shape = abiTuple({ request: callRequestShape })

const callType = "Call(address to,bytes data,uint256 value,bool allowFailure)"
const callTypeHash = keccakText(callType)
const requestTypeHash = keccakText(`CallRequest(Call[] calls,uint256 nonce,uint256 expiration)${callType}`)

/** Fails when a number does not fit uint256, or an account is not canonical. */
export const encodeCallRequest = (request: CallRequest): Result.Result<Hex, InvalidAbi> => encodeAbi(shape, { request })

/** Accepts the canonical encoding only. */
export const decodeCallRequest = (encoded: Hex): Result.Result<CallRequest, InvalidAbi> =>
  Result.map(decodeAbi(shape, encoded), ({ request }) => request)

const callHash = (call: Call): Uint8Array =>
  hashWords([
    callTypeHash,
    wordOf(digitsToBytes(call.to.slice(2))),
    keccak(hexToBytes(call.data)),
    word(call.value),
    word(call.allowFailure ? 1n : 0n)
  ])

/** The struct hash. Fails when encoding fails. */
export const callRequestHash = (request: CallRequest): Result.Result<Hex32, InvalidAbi> =>
  Result.map(encodeCallRequest(request), () =>
    hex32FromDigest(
      hashWords([
        requestTypeHash,
        hashWords(request.calls.map(callHash)),
        word(request.nonce),
        word(request.expiration)
      ])
    ))

/** The payment of one call of the depository. `token` is undefined for the native currency. */
export interface CallPayment {
  readonly token: Address | undefined
  readonly recipient: Address
  readonly amount: bigint
}

const transferSelector = "0xa9059cbb"
const transferShape = abiTuple({ to: abiAddress, amount: abiUint(256) })

/** The calldata of an ERC-20 transfer. */
export const encodeTransfer = (to: Address, amount: bigint): Result.Result<Hex, InvalidAbi> =>
  Result.map(
    encodeAbi(transferShape, { to, amount }),
    (encoded) => hexFromBytes(Uint8Array.of(0xa9, 0x05, 0x9c, 0xbb, ...hexToBytes(encoded)))
  )

/**
 * The single payment of a request: a plain native call, or one ERC-20 transfer. `undefined` for anything else, and for
 * a call that is allowed to fail: the contract would mark the request as used although the recipient was not paid.
 */
export const paymentOf = (request: CallRequest): CallPayment | undefined => {
  const [call, ...others] = request.calls
  if (call === undefined || others.length > 0 || call.allowFailure) return undefined
  if (call.data.length === 2) {
    return call.value > 0n ? { token: undefined, recipient: call.to, amount: call.value } : undefined
  }
  if (call.value !== 0n || !call.data.startsWith(transferSelector)) return undefined
  const transfer = decodeAbi(transferShape, hexFromBytes(hexToBytes(call.data).subarray(4)))
  return Result.isSuccess(transfer) && transfer.success.amount > 0n
    ? { token: call.to, recipient: transfer.success.to, amount: transfer.success.amount }
    : undefined
}
