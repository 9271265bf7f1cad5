/**
 * The common interface of the six address codecs, and their value types.
 *
 * Guarantee: parsing is total (malformed text is an error, never a throw), every address has one canonical spelling,
 * and `fromBytes` is the inverse of `toBytes`. Bytes are only made from checked text.
 */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { FamilyName } from "../chain/VmFamily.ts"

/** An account of a family in canonical spelling. */
export const Address = Schema.NonEmptyString.check(Schema.isMaxLength(128)).pipe(Schema.brand("Address"))

export type Address = typeof Address.Type

/** A currency of a family in canonical spelling. The native currency is the family's sentinel. */
export const CurrencyAddress = Schema.NonEmptyString.check(Schema.isMaxLength(128)).pipe(
  Schema.brand("CurrencyAddress")
)

export type CurrencyAddress = typeof CurrencyAddress.Type

/** The text or bytes are not an address (or currency) of the family. `input` is cut to 128 characters. */
export class InvalidAddress extends Schema.TaggedError<InvalidAddress>()("InvalidAddress", {
  family: FamilyName,
  input: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `no ${this.family} address: ${this.reason}`
  }
}

/**
 * How a family's accounts and currencies are written, and their bytes. Every function is total: a bad text is an error.
 */
export interface AddressCodec {
  readonly family: FamilyName
  /** The sentinel for the chain's native currency (PROTO-4). */
  readonly nativeCurrency: CurrencyAddress
  /** Makes any accepted spelling of an account canonical. */
  readonly parse: (text: string) => Result.Result<Address, InvalidAddress>
  /** The protocol's bytes of an account in any accepted spelling. */
  readonly toBytes: (text: string) => Result.Result<Uint8Array, InvalidAddress>
  /** The account with these bytes. */
  readonly fromBytes: (bytes: Uint8Array) => Result.Result<Address, InvalidAddress>
  /** Makes any accepted spelling of a currency canonical. */
  readonly parseCurrency: (text: string) => Result.Result<CurrencyAddress, InvalidAddress>
  /** The protocol's bytes of a currency in any accepted spelling. */
  readonly currencyToBytes: (text: string) => Result.Result<Uint8Array, InvalidAddress>
  /** The currency with these bytes. */
  readonly currencyFromBytes: (bytes: Uint8Array) => Result.Result<CurrencyAddress, InvalidAddress>
}

/** Brands checked text as an address. Only for the codecs of this folder. */
export const asAddress = Brand.nominal<Address>()

/** Brands checked text as a currency. Only for the codecs of this folder. */
export const asCurrency = Brand.nominal<CurrencyAddress>()

/** The error of a family. Its input is cut to a length that is safe to log. */
export const invalidAddress = (family: FamilyName, input: string, reason: string): InvalidAddress =>
  new InvalidAddress({ family, input: input.slice(0, 128), reason })

/** The codec of a family that spells accounts and currencies the same way, each with one spelling. */
export const oneSpelling = (
  family: FamilyName,
  nativeCurrency: string,
  toBytes: (text: string) => Result.Result<Uint8Array, InvalidAddress>,
  textOf: (bytes: Uint8Array) => Result.Result<string, InvalidAddress>
): AddressCodec => ({
  family,
  nativeCurrency: asCurrency(nativeCurrency),
  parse: (text) => Result.map(toBytes(text), () => asAddress(text)),
  toBytes,
  fromBytes: (bytes) => Result.map(textOf(bytes), asAddress),
  parseCurrency: (text) => Result.map(toBytes(text), () => asCurrency(text)),
  currencyToBytes: toBytes,
  currencyFromBytes: (bytes) => Result.map(textOf(bytes), asCurrency)
})
