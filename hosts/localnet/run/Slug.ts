/**
 * The chains of the local network, by the protocol's ids, and their numbers.
 *
 * The numbers are in no client's static list, so a local chain cannot be mistaken for a public one. They agree with
 * configs/chains.local.json.
 */
export type EvmSlug = "alpha" | "beta"
export type Slug = EvmSlug | "hub"

export const evmSlugs: ReadonlyArray<EvmSlug> = ["alpha", "beta"]
export const slugs: ReadonlyArray<Slug> = ["alpha", "beta", "hub"]
export const chainIdOf: Readonly<Record<Slug, number>> = { alpha: 616101, beta: 616102, hub: 616100 }
/** The chain that holds app balances. */
export const settlementSlug: EvmSlug = "beta"
