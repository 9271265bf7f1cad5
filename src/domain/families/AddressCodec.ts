/**
 * The one shape of the six address codecs, and the values they make.
 *
 * Guarantee: parsing is total (malformed text is an error, never a throw), every address has one
 * canonical spelling, and `fromBytes` undoes `toBytes`. Bytes are only ever made from checked text.
 */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { FamilyName } from "../chain/VmFamily.ts"

/** An account of some family in its canonical spelling. */
export const Address = Schema.NonEmptyString.check(Schema.isMaxLength(128)).pipe(Schema.brand("Address"))

export type Address = typeof Address.Type

/** A currency of some family in its canonical spelling; the native one is the family's sentinel. */
export const CurrencyAddress = Schema.NonEmptyString.check(Schema.isMaxLength(128)).pipe(
  Schema.brand("CurrencyAddress")
)

export type CurrencyAddress = typeof CurrencyAddress.Type

/** Text or bytes that are no address (or currency) of the family; `input` is cut to 128 characters. */
export class InvalidAddress extends Schema.TaggedError<InvalidAddress>()("InvalidAddress", {
  family: FamilyName,
  input: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `no ${this.family} address: ${this.reason}`
  }
}

export interface AddressCodec {
  readonly family: FamilyName
  /** The sentinel of the chain's own currency (PROTO-4). */
  readonly nativeCurrency: CurrencyAddress
  /** Any accepted spelling of an account, made canonical. */
  readonly parse: (text: string) => Result.Result<Address, InvalidAddress>
  /** The protocol's bytes of an account given in any accepted spelling. */
  readonly toBytes: (text: string) => Result.Result<Uint8Array, InvalidAddress>
  /** The account with these bytes. */
  readonly fromBytes: (bytes: Uint8Array) => Result.Result<Address, InvalidAddress>
  /** Any accepted spelling of a currency, made canonical. */
  readonly parseCurrency: (text: string) => Result.Result<CurrencyAddress, InvalidAddress>
  /** The protocol's bytes of a currency given in any accepted spelling. */
  readonly currencyToBytes: (text: string) => Result.Result<Uint8Array, InvalidAddress>
  /** The currency with these bytes. */
  readonly currencyFromBytes: (bytes: Uint8Array) => Result.Result<CurrencyAddress, InvalidAddress>
}

/** Names checked text an address: for the codecs of this folder only. */
export const asAddress = Brand.nominal<Address>()

/** Names checked text a currency: for the codecs of this folder only. */
export const asCurrency = Brand.nominal<CurrencyAddress>()

/** The error of a family, with its input cut to a length that may be logged. */
export const invalidAddress = (family: FamilyName, input: string, reason: string): InvalidAddress =>
  new InvalidAddress({ family, input: input.slice(0, 128), reason })

/** The codec of a family that spells accounts and currencies alike, each in one way only. */
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
