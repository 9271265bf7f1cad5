/**
 * Withdrawals where the depository is a contract of the EVM (EVM-6, TRON-3): a call request, which the allocator signs
 * and anyone executes.
 */
import { Effect, Result } from "effect"
import type { Hex } from "viem"
import { concat, encodeFunctionData, keccak256 } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { abi as depositoryAbi } from "../../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { viemHex } from "../../../../adapters/ethereum/rpc/ViemHex.ts"
import { Hex as CanonicalHex, hexFromBytes } from "../../../../src/domain/encoding/Hex.ts"
import { addressCodec } from "../../../../src/domain/families/index.ts"
import type { CallRequest } from "../../../../src/domain/families/ethereum/CallRequest.ts"
import { encodeTransfer } from "../../../../src/domain/families/ethereum/CallRequest.ts"
import type { TwoWayCodec } from "../../../../src/domain/hub/withdrawal/WithdrawalRules.ts"
import { domainSeparator } from "../../../../src/domain/hub/Execution.ts"
import { LocalnetError } from "../../run/LocalnetError.ts"
import type { Account, Draft, Wanted } from "./WithdrawalChain.ts"

/** How long an issued withdrawal may be executed, in seconds of its chain's clock. */
const OPEN_SECONDS = 600n
const SHORTLY = 2n

const { parse } = addressCodec("ethereum-vm")

/** Accounts have EVM form on both families. */
export interface CallTarget {
  /** The family's format of call requests. */
  readonly codec: TwoWayCodec<CallRequest>
  readonly chainId: number
  readonly depository: string
  /** Undefined for the native currency. */
  readonly token: string | undefined
}

const requestOf = ({ token }: CallTarget, { amount, nonce, recipient }: Wanted, expiration: bigint) =>
  Result.gen(function*() {
    const to = yield* parse(recipient)
    const paid = token === undefined
      ? { to, data: CanonicalHex.make("0x"), value: amount }
      : { to: yield* parse(token), data: yield* encodeTransfer(to, amount), value: 0n }
    return { calls: [{ ...paid, allowFailure: false }], nonce, expiration } satisfies CallRequest
  })

/** The request, and what the allocator signs for the depository. Fails for values that do not fit. */
const prepare = (target: CallTarget, wanted: Wanted, expiration: bigint) =>
  Result.gen(function*() {
    const request = yield* requestOf(target, wanted, expiration)
    const id = yield* target.codec.idOf(request)
    const separator = yield* domainSeparator({
      name: "RelayDepository",
      version: "1",
      chainId: BigInt(target.chainId),
      verifyingContract: yield* parse(target.depository)
    })
    return {
      id,
      request,
      encoded: yield* target.codec.encode(request),
      digest: keccak256(concat(["0x1901", hexFromBytes(separator), id]))
    }
  })

/** A withdrawal that the allocator has signed. */
export interface SignedCalls extends Pick<Draft, "encoded" | "id"> {
  /** The call of the depository that executes it. */
  readonly data: Hex
}

/** `now`: seconds, the time of the chain's newest block. The recipient has EVM form. */
export const signCalls = Effect.fnUntraced(
  function*(
    target: CallTarget,
    allocator: Pick<Account, "privateKey">,
    wanted: Wanted,
    now: bigint
  ): Effect.fn.Return<SignedCalls, LocalnetError> {
    const expiration = now + (wanted.end === "executed" ? OPEN_SECONDS : SHORTLY)
    const { digest, encoded, id, request } = yield* Effect.fromResult(prepare(target, wanted, expiration)).pipe(
      Effect.mapError(({ message }) => new LocalnetError({ message: `this withdrawal cannot be issued: ${message}` }))
    )
    const signature = yield* Effect.promise(() => privateKeyToAccount(allocator.privateKey).sign({ hash: digest }))
    const calls = request.calls.map((each) => ({ ...each, to: viemHex(each.to) }))
    const data = encodeFunctionData({
      abi: depositoryAbi,
      functionName: "execute",
      args: [{ ...request, calls }, signature]
    })
    return { id, encoded, data }
  }
)

export const refusedBy = ({ id }: { readonly id: string }, transaction: string): LocalnetError =>
  new LocalnetError({ message: `the depository of ${id} refused the withdrawal: ${transaction}` })
