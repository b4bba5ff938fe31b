-- Totals by fewer dimensions than gateway_daily has, for the reports that are asked for most: ninety days of a large team
-- are read in milliseconds. A dimension that a kind leaves out is '', or 0.
create table gateway_day_sums (
  kind            text not null check (kind in ('developer', 'status', 'work', 'usage')),
  -- by developer; by status; by project and model; by developer and model
  day             text not null,
  developer_id    text not null,
  project         text not null,
  model           text not null,
  status          integer not null,
  requests        bigint not null,
  turns           bigint not null,
  errors          bigint not null,
  stream_errors   bigint not null,
  retries         bigint not null,
  aborts          bigint not null,
  unpriced        bigint not null,
  input           bigint not null,
  cache_read      bigint not null,
  cache_write_5m  bigint not null,
  cache_write_1h  bigint not null,
  output          bigint not null,
  reasoning       bigint not null,
  cost            double precision not null,
  in_auth         bigint not null,   -- errors of this class
  in_rate_limit   bigint not null,   -- errors of this class
  in_client       bigint not null,   -- errors of this class
  in_overloaded   bigint not null,   -- errors of this class
  in_server       bigint not null,   -- errors of this class
  ttft_00 bigint not null,
  ttft_01 bigint not null,
  ttft_02 bigint not null,
  ttft_03 bigint not null,
  ttft_04 bigint not null,
  ttft_05 bigint not null,
  ttft_06 bigint not null,
  ttft_07 bigint not null,
  ttft_08 bigint not null,
  ttft_09 bigint not null,
  ttft_10 bigint not null,
  ttft_11 bigint not null,
  ttft_12 bigint not null,
  ttft_13 bigint not null,
  ttft_14 bigint not null,
  ttft_15 bigint not null,
  ttft_16 bigint not null,
  ttft_17 bigint not null,
  ttft_18 bigint not null,
  ttft_19 bigint not null,
  ttft_20 bigint not null,
  ttft_21 bigint not null,
  ttft_22 bigint not null,
  ttft_23 bigint not null,
  total_00 bigint not null,
  total_01 bigint not null,
  total_02 bigint not null,
  total_03 bigint not null,
  total_04 bigint not null,
  total_05 bigint not null,
  total_06 bigint not null,
  total_07 bigint not null,
  total_08 bigint not null,
  total_09 bigint not null,
  total_10 bigint not null,
  total_11 bigint not null,
  total_12 bigint not null,
  total_13 bigint not null,
  total_14 bigint not null,
  total_15 bigint not null,
  total_16 bigint not null,
  total_17 bigint not null,
  total_18 bigint not null,
  total_19 bigint not null,
  total_20 bigint not null,
  total_21 bigint not null,
  total_22 bigint not null,
  total_23 bigint not null,
  primary key (kind, day, developer_id, project, model, status)
);
insert into gateway_day_sums (kind, day, developer_id, project, model, status, requests, turns, errors, stream_errors, retries, aborts, unpriced, input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, cost, in_auth, in_rate_limit, in_client, in_overloaded, in_server, ttft_00, ttft_01, ttft_02, ttft_03, ttft_04, ttft_05, ttft_06, ttft_07, ttft_08, ttft_09, ttft_10, ttft_11, ttft_12, ttft_13, ttft_14, ttft_15, ttft_16, ttft_17, ttft_18, ttft_19, ttft_20, ttft_21, ttft_22, ttft_23, total_00, total_01, total_02, total_03, total_04, total_05, total_06, total_07, total_08, total_09, total_10, total_11, total_12, total_13, total_14, total_15, total_16, total_17, total_18, total_19, total_20, total_21, total_22, total_23)
  select kind, day,
    case when kind in ('developer', 'usage') then developer_id else '' end,
    case when kind = 'work' then project else '' end,
    case when kind in ('work', 'usage') then model else '' end,
    case when kind = 'status' then status else 0 end,
    sum(requests), sum(turns), sum(errors), sum(stream_errors), sum(retries), sum(aborts), sum(unpriced),
    sum(input), sum(cache_read), sum(cache_write_5m), sum(cache_write_1h), sum(output), sum(reasoning),
    sum(cost), sum(case when status in (401, 403) then requests else 0 end), sum(case when status = 429 then
    requests else 0 end), sum(case when status between 400 and 499 and status not in (401, 403, 429) then
    requests else 0 end), sum(case when status = 529 then requests else 0 end), sum(case when status >= 500
    and status <> 529 then requests else 0 end), sum(ttft_00), sum(ttft_01), sum(ttft_02), sum(ttft_03),
    sum(ttft_04), sum(ttft_05), sum(ttft_06), sum(ttft_07), sum(ttft_08), sum(ttft_09), sum(ttft_10),
    sum(ttft_11), sum(ttft_12), sum(ttft_13), sum(ttft_14), sum(ttft_15), sum(ttft_16), sum(ttft_17),
    sum(ttft_18), sum(ttft_19), sum(ttft_20), sum(ttft_21), sum(ttft_22), sum(ttft_23), sum(total_00),
    sum(total_01), sum(total_02), sum(total_03), sum(total_04), sum(total_05), sum(total_06), sum(total_07),
    sum(total_08), sum(total_09), sum(total_10), sum(total_11), sum(total_12), sum(total_13), sum(total_14),
    sum(total_15), sum(total_16), sum(total_17), sum(total_18), sum(total_19), sum(total_20), sum(total_21),
    sum(total_22), sum(total_23)
  from gateway_daily
  cross join (select 'developer' as kind union all select 'status' union all select 'work' union all select 'usage') as kinds
  group by 1, 2, 3, 4, 5, 6;

-- From when to when a session was at a project, used a model, both, or met a status: counted without reading its days.
create table gateway_session_spans (
  kind          text not null check (kind in ('project', 'model', 'both', 'status')),
  session_id    text not null,
  developer_id  text not null,
  project       text not null,
  model         text not null,
  status        integer not null,
  first_day     text not null,
  last_day      text not null,
  primary key (kind, session_id, developer_id, project, model, status)
);
create index gateway_session_spans_days_idx
  on gateway_session_spans (kind, last_day, first_day, developer_id, project, model, status);
insert into gateway_session_spans (kind, session_id, developer_id, project, model, status, first_day, last_day)
  select kind, session_id, developer_id,
    case when kind in ('project', 'both') then project else '' end,
    case when kind in ('model', 'both') then model else '' end,
    case when kind = 'status' then status else 0 end,
    min(day), max(day)
  from gateway_session_days
  cross join (select 'project' as kind union all select 'model' union all select 'both' union all select 'status') as kinds
  group by 1, 2, 3, 4, 5, 6;
