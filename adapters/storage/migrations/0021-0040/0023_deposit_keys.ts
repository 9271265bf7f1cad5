/** Derived deposit addresses: the place of each key, which addresses are free, and the generations of the places. */
import { statements } from "../../engine/Migrations.ts"

export const migration = statements((sql) => [
  sql`CREATE TABLE deposit_key_generations (
    family TEXT NOT NULL,
    generation BIGINT NOT NULL,
    begun_at BIGINT NOT NULL,
    PRIMARY KEY (family, generation)
  )`,
  sql`CREATE TABLE deposit_keys (
    address TEXT NOT NULL PRIMARY KEY,
    family TEXT NOT NULL,
    generation BIGINT NOT NULL,
    number BIGINT NOT NULL,
    order_id TEXT,
    UNIQUE (family, generation, number)
  )`,
  sql`CREATE INDEX deposit_keys_free ON deposit_keys (family, generation, number) WHERE order_id IS NULL`,
  sql`CREATE UNIQUE INDEX deposit_keys_by_order ON deposit_keys (order_id) WHERE order_id IS NOT NULL`,
  // The keys given away last. The newest one shows whether the seed is still the same.
  sql`CREATE INDEX deposit_keys_claimed ON deposit_keys (family, generation, number) WHERE order_id IS NOT NULL`
])
