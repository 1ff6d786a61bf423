-- Rows of one output of a node, by its name; empty: the node apart from its outputs with names, as rows of before.
ALTER TABLE node_metrics
    ADD COLUMN IF NOT EXISTS output LowCardinality(String) AFTER node;
