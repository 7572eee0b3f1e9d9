# The program for web, worker, migrations and backups alike: docker-compose.yml says which of them a container is.
# `make pin` writes the digest of the image behind its tag.
FROM python:3.13-slim

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    DATA_DIR=/data \
    BACKUP_DIR=/backups \
    STATIC_ROOT=/srv/static

WORKDIR /app

COPY requirements/run.txt requirements/run.txt
RUN python -m pip install --require-hashes -r requirements/run.txt

COPY manage.py manage.py
# The version of the program stands in it.
COPY pyproject.toml pyproject.toml
COPY config config
COPY annotations annotations
COPY agreement agreement
# A model codes in the demo, by the client.
COPY coindex coindex
COPY examples examples
COPY docs docs
COPY static static
COPY templates templates

# No secret is needed to collect files; the program that serves them refuses to start without its own.
RUN SECRET_KEY=only-to-collect-static-files-in-the-image ALLOWED_HOSTS=build DATABASE_URL=postgres:// python manage.py collectstatic --no-input
RUN python -m compileall -q agreement annotations config
RUN mkdir -p /data /backups

# Whoever runs it needs no name, and owns nothing but the files of people.
RUN chown 10001:10001 /data /backups
USER 10001:10001
VOLUME /data
EXPOSE 8000

HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-m", "config.probe", "http://127.0.0.1:8000/readyz"]
CMD ["gunicorn", "config.wsgi", "--config", "python:config.gunicorn", "--bind", "0.0.0.0:8000", "--worker-tmp-dir", "/dev/shm", "--no-control-socket"]
