/**
 * The allocator of the local network. It signs a withdrawal for the depository, and for the hub that it was issued for
 * one account there (ORACLE-7). The caller has checked what that account holds.
 */
import { addressCodec } from "../../../../src/domain/families/index.ts"
import { Effect, Result } from "effect"
import type { Address, Hex } from "viem"
import { concat, keccak256, zeroAddress } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { Hex as CanonicalHex, hexFromBytes } from "../../../../src/domain/encoding/Hex.ts"
import { domainSeparator } from "../../../../src/domain/hub/Execution.ts"
import { issuanceHash } from "../../../../src/domain/hub/Issuance.ts"
import { encodeWithdrawal, withdrawalId } from "../../../../src/domain/families/Withdrawals.ts"
import type { CallRequest } from "../../../../src/domain/families/ethereum/CallRequest.ts"
import { encodeTransfer } from "../../../../src/domain/families/ethereum/CallRequest.ts"
import type { HubAccess } from "../demo/Settlement.ts"
import { LocalnetError } from "../../run/LocalnetError.ts"

/** The withdrawal to issue. */
export interface Payment {
  readonly chain: { readonly chainId: number; readonly depository: Address }
  readonly hub: HubAccess
  /** The hub account that pays for it. */
  readonly withdrawalAddress: string
  readonly currency: Address
  readonly recipient: Address
  readonly amount: bigint
  /** Unique over all chains: two equal requests on two chains would share one key on the hub. */
  readonly nonce: bigint
  /** Seconds since 1970, on the chain's clock. */
  readonly expiration: bigint
}

export interface IssuedWithdrawal {
  readonly id: string
  readonly request: CallRequest
  /** The request in its canonical encoding. */
  readonly encoded: string
  /** For the depository. */
  readonly signature: Hex
  /** For the hub. */
  readonly issuance: Hex
}

const { parse } = addressCodec("ethereum-vm")

const requestOf = ({ amount, currency, expiration, nonce, recipient }: Payment) =>
  Result.gen(function*() {
    const to = yield* parse(recipient)
    const call = currency === zeroAddress
      ? { to, data: CanonicalHex.make("0x"), value: amount }
      : { to: yield* parse(currency), data: yield* encodeTransfer(to, amount), value: 0n }
    return { calls: [{ ...call, allowFailure: false }], nonce, expiration } satisfies CallRequest
  })

/** The signed data of both signatures. Fails for values that do not fit. */
const prepare = (payment: Payment) =>
  Result.gen(function*() {
    const { chain, hub, withdrawalAddress } = payment
    const request = yield* requestOf(payment)
    const withdrawal = { family: "ethereum-vm", request } as const
    const id = yield* withdrawalId(withdrawal)
    const separator = yield* domainSeparator({
      name: "RelayDepository",
      version: "1",
      chainId: BigInt(chain.chainId),
      verifyingContract: yield* parse(chain.depository)
    })
    const issuance = yield* issuanceHash({
      hubChainId: BigInt(hub.chainId),
      oracleContract: yield* parse(hub.oracleAddress),
      withdrawalAddress,
      withdrawalId: id
    })
    return {
      id,
      request,
      encoded: yield* encodeWithdrawal(withdrawal),
      digest: keccak256(concat(["0x1901", hexFromBytes(separator), id])),
      issuance
    }
  })

/** Issues one withdrawal with this key. */
export const issue = Effect.fn("Allocator.issue")(
  function*(key: Hex, payment: Payment): Effect.fn.Return<IssuedWithdrawal, LocalnetError> {
    const { digest, issuance, ...prepared } = yield* Effect.fromResult(prepare(payment)).pipe(
      Effect.mapError(({ message }) => new LocalnetError({ message: `this withdrawal cannot be issued: ${message}` }))
    )
    const allocator = privateKeyToAccount(key)
    const signatures = yield* Effect.promise(() =>
      Promise.all([allocator.sign({ hash: digest }), allocator.signMessage({ message: { raw: issuance } })])
    )
    return { ...prepared, signature: signatures[0], issuance: signatures[1] }
  }
)
