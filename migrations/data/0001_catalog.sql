-- The data catalog behind the toolkit `catalog` [T43]: what there is to know of a database, beside the tables themselves.
-- wrangler d1 migrations apply DATA

-- A table, a document, a metric: whatever somebody may look for. `table_name` when it is a table of this database.
CREATE TABLE catalog_entity (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL DEFAULT 'table',
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  table_name TEXT,
  details TEXT
) WITHOUT ROWID;

CREATE TABLE catalog_field (
  entity TEXT NOT NULL REFERENCES catalog_entity (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  position INTEGER NOT NULL DEFAULT 0,
  type TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (entity, name)
) WITHOUT ROWID;

-- `condition`: how rows of the two belong together, such as `orders.customer = customers.id`.
CREATE TABLE catalog_relation (
  id TEXT PRIMARY KEY,
  source TEXT NOT NULL REFERENCES catalog_entity (id) ON DELETE CASCADE,
  target TEXT NOT NULL REFERENCES catalog_entity (id) ON DELETE CASCADE,
  kind TEXT NOT NULL DEFAULT '',
  condition TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE INDEX catalog_relation_source ON catalog_relation (source);
CREATE INDEX catalog_relation_target ON catalog_relation (target);

-- The words of entities and of their fields.
CREATE VIRTUAL TABLE catalog_text USING fts5 (entity UNINDEXED, field UNINDEXED, name, description, tokenize = 'unicode61 remove_diacritics 2');

CREATE TRIGGER catalog_entity_insert AFTER INSERT ON catalog_entity BEGIN
  INSERT INTO catalog_text (entity, field, name, description) VALUES (new.id, '', new.name, new.description);
END;
CREATE TRIGGER catalog_entity_update AFTER UPDATE ON catalog_entity BEGIN
  DELETE FROM catalog_text WHERE entity = old.id AND field = '';
  INSERT INTO catalog_text (entity, field, name, description) VALUES (new.id, '', new.name, new.description);
END;
CREATE TRIGGER catalog_entity_delete AFTER DELETE ON catalog_entity BEGIN
  DELETE FROM catalog_text WHERE entity = old.id;
END;
CREATE TRIGGER catalog_field_insert AFTER INSERT ON catalog_field BEGIN
  INSERT INTO catalog_text (entity, field, name, description) VALUES (new.entity, new.name, new.name, new.description);
END;
CREATE TRIGGER catalog_field_update AFTER UPDATE ON catalog_field BEGIN
  DELETE FROM catalog_text WHERE entity = old.entity AND field = old.name;
  INSERT INTO catalog_text (entity, field, name, description) VALUES (new.entity, new.name, new.name, new.description);
END;
CREATE TRIGGER catalog_field_delete AFTER DELETE ON catalog_field BEGIN
  DELETE FROM catalog_text WHERE entity = old.entity AND field = old.name;
END;
