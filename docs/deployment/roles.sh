#!/bin/sh
# Runs once, when the database is created: creates the role as which the service logs in. As a member of
# store_orders_app it can append to the log, but not change it.
set -eu

psql --set=ON_ERROR_STOP=1 --set=password="$ORDERS_PASSWORD" \
  --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
CREATE ROLE store_orders_app NOLOGIN;
CREATE ROLE orders LOGIN PASSWORD :'password' IN ROLE store_orders_app;
SQL
