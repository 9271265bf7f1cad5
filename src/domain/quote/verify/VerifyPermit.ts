/**
 * Checks the steps of a quote whose deposit is made by signature against its order: the permit may allow nothing but
 * this deposit, by the Forwarder that the client knows, and an approval before it must be exact and for Permit2.
 *
 * SECURITY: everything signed is rebuilt from the order and compared as a whole. Only these are taken from the quote:
 * the token's name and version in its domain (the token rejects a signature in another domain), the deadline and
 * EIP-2612's nonce.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Address } from "../../chain/Address.ts"
import type { OrderId } from "../../order/Order.ts"
import { PermitKind } from "../../permit/Permit.ts"
import { permitItem } from "../../permit/PermitItem.ts"
import { permitMessage } from "../../permit/PermitMessage.ts"
import type { ResolvedRequest } from "../request/ResolveRequest.ts"
import type { SignatureData } from "../wire/SignatureData.ts"
import type { SignatureStep } from "../wire/Step.ts"
import { check } from "./Check.ts"
import type { Check } from "./Check.ts"

/** The deposit that a permit is for. */
export interface PermitExpectation {
  readonly request: ResolvedRequest
  readonly orderId: OrderId
  readonly amount: bigint
  /** The deposited token, as a contract. */
  readonly token: Address
}

const Uint = Schema.String.check(Schema.isPattern(/^[0-9]{1,78}$/u)).pipe(Schema.decodeTo(Schema.BigIntFromString))
const Seconds = Schema.NumberFromString.pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8_640_000_000_000 })))
)

const Shown = Schema.Struct({
  domain: Schema.Struct({ name: Schema.String, version: Schema.optionalKey(Schema.String) }),
  value: Schema.Struct({ validBefore: Schema.optionalKey(Seconds), deadline: Schema.optionalKey(Seconds), nonce: Uint })
})
const decodeShown = Schema.decodeUnknownResult(Shown)
const isKind = Schema.is(PermitKind)

/** Equal values give equal texts, whatever the order of their members. */
const textOf = (value: unknown): string =>
  JSON.stringify(
    value,
    (_, part: unknown) =>
      typeof part === "object" && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : part
  )

/** The expected item. Undefined when no item would be valid. */
const expectedItem = (
  { post, sign }: SignatureData,
  requestId: string,
  { amount, orderId, request, token }: PermitExpectation
): SignatureData | undefined => {
  const { origin, permit, user } = request
  const { kind } = post.body
  if (sign.signatureKind !== "eip712" || permit === undefined || !isKind(kind)) return undefined
  const verifier = kind === "permit2" ? permit.permit2 : token
  // EIP-3009's nonce is a bytes32, not a number. It is the order's id, and is compared with the rest.
  const shown = decodeShown({
    domain: sign.domain,
    value: kind === "eip3009" ? { ...sign.value, nonce: "0" } : sign.value
  })
  if (verifier === undefined || Result.isFailure(shown)) return undefined
  const { domain, value } = shown.success
  const deadline = kind === "eip3009" ? value.validBefore : value.deadline
  if (deadline === undefined) return undefined
  const message = permitMessage({
    chainId: origin.id,
    owner: user,
    token,
    amount,
    orderId,
    terms: {
      kind,
      domain: kind === "permit2" ? { name: "Permit2" } : domain,
      forwarder: permit.forwarder,
      verifier,
      deadline,
      nonce: value.nonce
    }
  })
  return Result.isFailure(message) ? undefined : permitItem(kind, requestId, message.success)
}

export const verifyPermit = (step: SignatureStep, expected: PermitExpectation): ReadonlyArray<Check> => [
  check("authorize1 items", step.items.length === 1, `${step.items.length}`),
  ...step.items.map(({ data }, index) => {
    const wanted = expectedItem(data, step.requestId, expected)
    return check(
      `authorize1 ${index} message`,
      wanted !== undefined && textOf(wanted) === textOf(data),
      textOf(data).slice(0, 200)
    )
  })
]
