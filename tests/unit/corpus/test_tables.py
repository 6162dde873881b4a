"""Tables and records: CSV, JSON Lines and SQLite."""

from __future__ import annotations

import sqlite3

import pytest

from ragbench.corpus import load_csv as csv_module
from ragbench.corpus import load_sqlite as sqlite_module
from ragbench.corpus.load_csv import load_csv
from ragbench.corpus.load_jsonl import load_jsonl
from ragbench.corpus.load_sqlite import load_sqlite
from ragbench.corpus.loader import make_document
from ragbench.errors import DataError


def csv_text(text: str, encoding: str = "utf-8") -> str:
    return load_csv(text.encode(encoding)).parts[0][0]


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize(
    ("head", "row", "line"),
    [
        ("姓名,入职,工资", "王五,2020-01-02,1 000", "姓名: 王五; 入职: 2020-01-02; 工资: 1 000"),
        ("name,born,city", "Ada,1815,", "name: Ada; born: 1815"),
        ("料号,name,qty", '"LCP-1\nB",motor,3', "料号: LCP-1 B; name: motor; qty: 3"),
    ],
    ids=["zh", "en", "mixed"],
)
def test_a_row_is_a_line(delimiter, head, row, line):
    text = csv_text(f"{head}\n{row}\n".replace(",", delimiter))
    assert text.split("\n\n")[1] == line
    assert text.startswith("Table: 1 row; columns: " + head.split(",")[0])


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030", "big5"])
def test_encodings_of_tables(encoding):
    text = "\n".join(["名稱,部門,說明", *["張三,人事,負責員工的招聘與培訓工作"] * 9])
    parsed = load_csv(text.encode(encoding))
    assert "部門: 人事" in parsed.parts[0][0]
    assert parsed.metadata["encoding"] == encoding
    assert "\ufeff" not in parsed.parts[0][0]


def test_kinds_of_columns():
    head = csv_text("a,b,c,d,e\n1,1.5,2024-01-02,x,\n-2,3,2024/1/3,4,\n").split("\n")[0]
    assert head == "Table: 2 rows; columns: a (integer), b (number), c (date), d (text), e (empty)"


@pytest.mark.parametrize("first", ["1,2", "a,a", ",a"])
def test_a_first_row_that_names_no_columns_is_data(first):
    assert csv_text(f"{first}\n3,4\n").count("column 2: ") == 2


CITIES = pytest.mark.parametrize("city", ["北京", "Oslo", "上海 HQ"], ids=["zh", "en", "mixed"])


@CITIES
@pytest.mark.parametrize(
    "names",
    ["2022,2023", "2023", "2024-01-01,2024-01-02", "0,1,2", "1,2,3,4,5"],
    ids=["years", "year", "dates", "0", "1"],
)
def test_years_dates_and_counts_name_columns_below_a_text(city, names):
    n = names.count(",") + 1
    values = ",".join(str(number) for number in range(11, 11 + n))
    parsed = load_csv(f"{city},{names}\nX,{values}\nY,{values}\n".encode())
    cells = "; ".join(f"{name}: {value}" for name, value in zip(names.split(","), values.split(",")))
    assert parsed.parts[0][0].split("\n\n")[1].split("\n")[0] == f"{city}: X; {cells}"
    cells = f"{n} of its {n + 1} cells are numbers or dates"
    assert parsed.warnings == (f"header guessed: the first row names the columns, though {cells}",)


@CITIES
@pytest.mark.parametrize(
    "rows",
    [
        "{},1990\nX,1985\nY,1977",
        "{},2024-01-01,5\nX,2024-01-02,7",
        "{},2024-01-01\nX,2024-01-02",
        "{},1,2,3\nX,1,2,3",
        "{},1,3,2\nX,5,6,7",
        "{},1.5,2.5\nX,a,b",
        "2022,{}\n5,X",
        "{},2022,2022\nX,1,2",
    ],
)
def test_a_first_row_of_data_is_no_header(city, rows):
    parsed = load_csv(rows.format(city).encode())
    assert f"column {1 + rows.startswith('2022')}: {city}" in parsed.parts[0][0]
    assert parsed.warnings == ("header guessed: the first row names no columns, they are numbered",)


def test_odd_rows_are_kept_and_told():
    many = "\n".join("x" * 60)
    parsed = load_csv(f'a,b\n1,2,3\n"{many}",4\n'.encode())
    assert "a: 1; b: 2; column 3: 3" in parsed.parts[0][0]
    assert parsed.warnings == (
        "row 2 has 3 cells, the table 2 columns",
        "row 3 holds a cell of 60 lines: a quote may not be closed",
    )


@pytest.mark.parametrize("word", ["年假", "leave", "年假 leave"], ids=["zh", "en", "mixed"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_quote_that_is_not_closed_is_told_however_few_lines_it_swallows(word, delimiter):
    rows = f'name,days\n{word},5\n"{word},6\n{word},7\n{word},8\n'
    parsed = load_csv(rows.replace(",", delimiter).encode())
    assert len(parsed.warnings) == 1
    assert parsed.warnings[0].startswith("row 3 holds a cell of ") and "a quote may not be closed" in parsed.warnings[0]
    later = load_csv(f'{rows}x,"{word}"\n{word},9\n'.replace(",", delimiter).encode())
    assert any(said.startswith("row 3 holds a cell of 4 lines") for said in later.warnings)


def test_a_cell_of_several_lines_that_is_closed_is_no_warning():
    parsed = load_csv('姓名,note\n王五,"Dear all,\nplease come, now\n1,2\nsaid ""he"""\nAda,"x\ny"\n'.encode())
    assert parsed.warnings == () and parsed.metadata["n_rows"] == 2


@pytest.mark.parametrize("first", ["sep=;", "SEP=;\r", '"sep=;"', "\ufeffsep=; "])
@pytest.mark.parametrize(("name", "value"), [("姓名", "王,五"), ("name", "a,b"), ("姓名 name", "王,b")])
def test_the_line_that_tells_excel_the_delimiter_is_no_row(first, name, value):
    parsed = load_csv(f"{first}\n{name};born\n{value};1990\n".encode())
    assert parsed.parts[0][0] == f"Table: 1 row; columns: {name} (text), born (integer)\n\n{name}: {value}; born: 1990"
    assert parsed.metadata["delimiter"] == ";"
    assert load_csv(b"sep=x\na,b\n").metadata["n_rows"] == 3 or load_csv(b"sep=x\na,b\n").metadata["delimiter"] == ","


def test_rows_beyond_the_limit_are_cut_with_a_warning(monkeypatch):
    monkeypatch.setattr(csv_module, "MAX_ROWS", 3)
    whole, cut = (load_csv(("a,b\n" + "1,2\n" * n).encode()) for n in (3, 4))
    assert whole.warnings == () and whole.metadata["n_rows"] == 3
    assert cut.warnings == ("only the first 3 rows were read",) and cut.metadata["n_rows"] == 3


@pytest.mark.parametrize("data", [b"", b"\n\n", b",,\n,,\n"])
def test_an_empty_table_has_no_text(data):
    assert make_document("a.csv", load_csv(data)).text == ""


def test_records_are_blocks_and_bad_lines_are_told():
    parsed = load_jsonl('{"甲": 1}\r\n\n{bad\n{"b": [{"c": 2}, {"d": 3}]}\n[1'.encode())
    assert parsed.parts[0][0] == "甲: 1\n\nb[0].c: 2\n\nb[1].d: 3"
    assert [said.split(" left out")[0] for said in parsed.warnings] == ["line 3", "line 5"]
    assert parsed.metadata == {"encoding": "utf-8", "n_records": 2}


def test_a_million_bad_lines_do_not_fill_the_notes():
    parsed = load_jsonl(b'{"a": 1}\n' + b"{\n" * 1000)
    assert len(parsed.warnings) == 21 and parsed.warnings[-1] == "980 more like these"


def test_no_record_at_all_is_an_error():
    with pytest.raises(DataError, match="none in 2 lines"):
        load_jsonl(b"a\nb\n")


@pytest.fixture
def database(tmp_path):
    def make(script: str, name: str = "a.db") -> bytes:
        with sqlite3.connect(tmp_path / name) as connection:
            connection.executescript(script)
        connection.close()
        return (tmp_path / name).read_bytes()

    return make


STAFF = """
create table "员 工"(id integer primary key, 姓名 text, photo blob, "od""d" real, twice as (id * 2));
insert into "员 工"(id, 姓名, photo, "od""d") values (1, '王' || char(10) || '五', x'0011', 2.5), (2, null, null, null);
create view adults as select 1 as age;
create view endless as with recursive t(n) as (select 1 union all select n + 1 from t) select n from t;
create table empty(a);
"""


def test_tables_of_a_database(database):
    document = make_document("a.db", load_sqlite(database(STAFF)))
    assert document.text == (
        '## 员 工\n\nTable 员 工: 2 rows; columns: id (integer, key), 姓名 (text), photo (blob), od"d (real), twice\n\n'
        'id: 1; 姓名: 王 五; photo: [2 bytes]; od"d: 2.5; twice: 2\nid: 2; twice: 4\n\n'
        "## adults\n\nView adults: columns: age\n\n## endless\n\nView endless: columns: n\n\n"
        "## empty\n\nTable empty: 0 rows; columns: a"
    )
    assert [heading.title for heading in document.outline] == ["员 工", "adults", "endless", "empty"]
    assert "warnings" not in document.metadata


def test_rows_of_a_table_beyond_the_limit(database, monkeypatch):
    monkeypatch.setattr(sqlite_module, "MAX_ROWS", 2)
    parsed = load_sqlite(database("create table ok(a); create table t(a); insert into t values (1), (2), (3);"))
    assert "a: 2" in parsed.parts[0][0] and "a: 3" not in parsed.parts[0][0]
    assert parsed.warnings == ("table t: only the first 2 of 3 rows were read",)


@pytest.mark.parametrize("word", ["皮带", "belt", "皮带 belt"], ids=["zh", "en", "mixed"])
def test_a_large_cell_does_not_cost_the_rows_after_it(database, word):
    rows = ", ".join(f"({number}, '{word} {number}', null)" for number in range(4, 101))
    parsed = load_sqlite(
        database(
            "create table t(id integer, name text, photo blob);"
            f"insert into t values (1, '{word}', zeroblob(12000000)), (2, null, x'00');"
            f"insert into t values (3, replace(hex(zeroblob(6000000)), '00', '{word} '), null), {rows};"
        )
    )
    lines = parsed.parts[0][0].split("\n\n")[2].split("\n")
    assert lines[0] == f"id: 1; name: {word}; photo: [12000000 bytes]"
    assert lines[1] == "id: 2; photo: [1 bytes]"
    assert 990_000 < len(lines[2]) < 1_000_100
    assert lines[-1] == f"id: 100; name: {word} 100" and len(lines) == 100
    assert parsed.warnings == ("table t: only the first 1000000 characters of 1 cell were read",)


def test_more_text_than_a_database_may_hold_is_cut_with_a_warning(database, monkeypatch):
    monkeypatch.setattr(sqlite_module, "_MAX_TEXT", 1000)
    values = ", ".join("(1)" for _ in range(50))
    parsed = load_sqlite(
        database(f"create table t(a, b as (printf('%.300c', 'x'))); insert into t values {values}; create table u(a);")
    )
    assert parsed.warnings == ("table t: only the first 4 of 50 rows: too much text",)
    assert "## u" in parsed.parts[0][0]


def test_a_write_ahead_log_is_told_and_the_file_is_not_touched(database, tmp_path):
    data = database("pragma journal_mode = wal; create table t(a); insert into t values ('x');")
    parsed = load_sqlite(data)
    assert "a: x" in parsed.parts[0][0] and "write-ahead log" in parsed.warnings[0]
    assert (tmp_path / "a.db").read_bytes() == data


def test_a_statement_that_never_ends_is_stopped(database, monkeypatch):
    monkeypatch.setattr(sqlite_module, "_MAX_STEPS", 3)
    monkeypatch.setattr(sqlite_module, "_STEP", 100)
    rows = ", ".join(["(1)"] * 5000)
    parsed = load_sqlite(
        database(f"create table ok(a); insert into ok values (1); create table t(a); insert into t values {rows};")
    )
    assert "table t" in parsed.warnings[0] and "interrupted" in parsed.warnings[0]
    assert "## ok" in parsed.parts[0][0]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"not a database", "another kind of file"),
        (b"SQLite format 3\x00" + b"\xff" * 5000, "SQLite"),
        (b"SQLite format 3\x00", "SQLite"),
    ],
)
def test_what_is_no_database_has_a_reason(data, reason):
    with pytest.raises(DataError, match=reason):
        load_sqlite(data)


def test_a_database_with_a_damaged_page_is_told(database):
    data = bytearray(
        database(
            "create table ok(a); create table t(a); insert into t values ("
            + "), (".join(f"'{n:0900}'" for n in range(60))
            + ");"
        )
    )
    data[4096 * 4 : 4096 * 6] = b"\xff" * 8192
    parsed = load_sqlite(bytes(data))
    assert "malformed" in parsed.warnings[0] and "## t" not in parsed.parts[0][0]


@pytest.mark.parametrize("word", ["唯一的副本", "the only copy", "唯一 copy"], ids=["zh", "en", "mixed"])
@pytest.mark.parametrize("module", ["fts5", "FTS4", "fts3"])
def test_full_text_tables_are_read(database, module, word):
    parsed = load_sqlite(
        database(f"create virtual table notes using {module}(title, body); insert into notes values ('T', '{word}');")
    )
    assert parsed.parts[0][0].endswith(f"title: T; body: {word}")
    assert parsed.metadata["n_tables"] == 1 and parsed.warnings == ()


def test_virtual_tables_that_are_not_read_have_a_reason_each(database):
    parsed = load_sqlite(
        database(
            "create table src(id integer primary key, body); insert into src values (1, 'text');"
            "create virtual table outer_text using fts5(body, content='src', content_rowid='id');"
            "create virtual table bare using fts5(body, content=''); insert into bare values ('gone');"
            "create virtual table boxes using rtree(id, a, b); insert into boxes values (1, 0, 1);"
            "create virtual table of_view using fts5(body, content='v'); create view v as select 1 as rowid, 'x' as body;"
        )
    )
    assert parsed.warnings == (
        "table outer_text was not read: its text is that of table src",
        "table bare was not read: a full-text index without the text",
        "table boxes was not read: a virtual table of module rtree holds no text of its own",
    )
    assert parsed.parts[0][0].count("## ") == 3 and "## of_view" in parsed.parts[0][0]
    with pytest.raises(DataError, match="table bare was not read: a full-text index without the text"):
        load_sqlite(database("create virtual table bare using fts5(body, content='');", "b.db"))


@pytest.mark.parametrize("encoding", ["gb18030", "gbk"])
@pytest.mark.parametrize("word", ["员工年假管理规定", "采购 order 审批流程"], ids=["zh", "mixed"])
def test_text_stored_in_another_encoding_is_read(database, encoding, word):
    stored = word.encode(encoding).hex()
    parsed = load_sqlite(
        database(
            f"create table t(a text, b text); insert into t values ('plain', cast(x'{stored}' as text)), ('年假', '五');"
            f"create table u(a text); insert into u values (cast(x'{stored}' as text));"
        )
    )
    assert f"a: plain; b: {word}\na: 年假; b: 五" in parsed.parts[0][0] and parsed.parts[0][0].endswith(f"a: {word}")
    assert parsed.warnings[0] == "table t: text that is not UTF-8 was read as gb18030"


@pytest.mark.parametrize("word", ["员工年假", "leave – ", "HR 年假"], ids=["zh", "en", "mixed"])
def test_text_with_a_broken_character_is_still_utf8(database, word):
    cut = (word.encode() + "假".encode()[:2]).hex()
    rows = ", ".join([f"(cast(x'{cut}' as text))"] * 9)
    parsed = load_sqlite(database(f"create table t(a text); insert into t values {rows};"))
    assert parsed.parts[0][0].endswith(f"a: {word}\ufffd") and parsed.warnings == ()


@pytest.mark.parametrize("word", ["项", "items", "件 items"], ids=["zh", "en", "mixed"])
def test_a_row_is_never_a_heading(database, word):
    document = make_document("a.db", load_sqlite(database(f'create table t("# {word}"); insert into t values (5);')))
    assert document.text.endswith(f"\\# {word}: 5")
    assert [heading.title for heading in document.outline] == ["t"]
