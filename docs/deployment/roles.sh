#!/bin/sh
# Run once, when the database is made: the role as which the service logs in. It is a member of
# store_orders_app, and so it can add to the log, and cannot change what is in it.
set -eu

psql --set=ON_ERROR_STOP=1 --set=password="$ORDERS_PASSWORD" \
  --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
CREATE ROLE store_orders_app NOLOGIN;
CREATE ROLE orders LOGIN PASSWORD :'password' IN ROLE store_orders_app;
SQL
