/**
 * What must hold of deposit addresses: what is paid to them is moved, and paid or refunded once, and a sponsor pays for
 * an address what it quoted, and then at most the address's budget of a day.
 */
import type { Address } from "../../../../src/domain/chain/Address.ts"
import type { ChainView, ShownTransfer } from "../../ChainView.ts"
import { halfMicros } from "../../Terms.ts"
import type { Asked } from "../../Users.ts"
import type { AppAccounts } from "../AppAccounts.ts"
import type { SponsorTerms } from "../Sponsor.ts"
import { LEFT_AT_ADDRESS } from "./PayAddress.ts"

type Broken = ReadonlyArray<string>

/** A sweep that was sent. It may be in no block. */
export interface Swept {
  readonly currency: string
  readonly amount: bigint
  /** The order that its deposit names. */
  readonly memo: string
}

/** A quote that is paid at a deposit address. */
export type AskedAtAddress = Asked & { readonly address: Address }

export const atAddress = (asked: ReadonlyArray<Asked>): ReadonlyArray<AskedAtAddress> =>
  asked.flatMap((each) => each.address === undefined ? [] : [{ ...each, address: each.address }])

/**
 * Balances of the quoted currency on the quoted chain that nobody has moved yet: these are watched, and all others are
 * moved by a reindex alone. On Bitcoin and Tron, where small amounts stay for other reasons, `SweptLaw.ts` says it.
 */
export const unswept = (asked: ReadonlyArray<Asked>, moved: ReadonlyArray<ShownTransfer>): Broken =>
  atAddress(asked).filter(({ origin }) => origin !== "bitcoin" && origin !== "tron").flatMap(
    ({ address, currencyIn, origin }) => {
      const own = moved.filter(({ currency, slug }) => slug === origin && currency === currencyIn)
      const left = own.reduce(
        (sum, { amount, recipient, sender }) =>
          sum + (recipient === address ? amount : 0n) - (sender === address ? amount : 0n),
        0n
      )
      return left * halfMicros(currencyIn) > LEFT_AT_ADDRESS
        ? [`${left} of ${currencyIn} lie at the deposit address ${address} on ${origin}`]
        : []
    }
  )

/** What is paid for others, or paid to the wrong place, is counted where it is paid: an address is its owner's. */
export const giftsToAddresses = (
  asked: ReadonlyArray<Asked>,
  moved: ReadonlyArray<ShownTransfer>,
  user: number,
  accounts: ReadonlyArray<string>
): ReadonlyArray<ShownTransfer> => {
  const own = new Set<string>(atAddress(asked).filter((each) => each.user === user).map(({ address }) => address))
  return moved.filter(({ recipient, sender }) => own.has(recipient) && !accounts.includes(sender))
}

/** What is paid for an order of an address goes to the recipient of its quote, or back to its user. */
export const paidToTheirs = (
  asked: ReadonlyArray<Asked>,
  moved: ReadonlyArray<ShownTransfer>,
  paid: ReadonlyArray<ShownTransfer>,
  views: ReadonlyArray<ChainView>
): Broken =>
  atAddress(asked).flatMap(({ address, recipient, user }) => {
    const orders = new Set(moved.filter(({ sender }) => sender === address).map(({ memo }) => memo))
    const accounts = views.map(({ parties }) => parties.accounts[user])
    return paid.filter((each) =>
      orders.has(each.memo) && each.recipient !== recipient && !accounts.includes(each.recipient)
    ).map((each) => `what came to ${address} is paid to ${each.recipient}`)
  })

/** An address draws its quote once, and then at most its budget of a day. A run is shorter than a day. */
export const addressesDrawAsBudgeted = (
  asked: ReadonlyArray<Asked>,
  { captured, later }: AppAccounts,
  { laterPerAddressPerDay }: SponsorTerms,
  quotedOf: (asked: Asked) => bigint
): Broken =>
  atAddress(asked).flatMap((each) => {
    const requests = new Set<string>(later.get(each.address) ?? [])
    const drawn = captured.filter(({ request }) => request === each.requestId || requests.has(request)).reduce(
      (sum, { units }) => sum + units,
      0n
    )
    const most = quotedOf(each) + laterPerAddressPerDay
    return drawn > most ? [`the address ${each.address} has drawn ${drawn}, at most ${most} are allowed`] : []
  })
